//! Laws: what holds for every input, tried with thousands of random ones.

mod restore;
