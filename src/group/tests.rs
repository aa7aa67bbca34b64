//! Rules that need no story.
