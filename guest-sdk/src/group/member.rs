//! A member as a strategy sees it.

use super::{Group, Topic};
use crate::abi::request;
use crate::values::Values;

/// A member of a [`Group`].
#[derive(Clone, Copy, Debug)]
pub struct Member<'g> {
    pub(super) group: &'g Group<'g>,
    pub(super) index: u32,
}

impl<'g> Member<'g> {
    /// Its position by id, from 0: the index for flat arrays.
    #[inline]
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// Its position in Kafka's order, from 0.
    #[inline]
    pub fn place(self) -> usize {
        self.group.places[self.index()] as usize
    }

    /// Its id.
    pub fn id(self) -> &'g str {
        self.row().id
    }

    /// Its instance id, when it is static.
    pub fn instance_id(self) -> Option<&'g str> {
        self.row().instance_id
    }

    /// Its client id; empty when unknown.
    pub fn client_id(self) -> &'g str {
        self.row().client_id
    }

    /// The index of its rack in [`Group::racks`].
    pub fn rack(self) -> Option<usize> {
        self.row().rack.map(|rack| rack as usize)
    }

    /// Its facts: whatever its owner told about it, such as a weight.
    pub fn facts(self) -> Values<'g> {
        Values::new(self.row().facts)
    }

    /// What the strategy's `divvy_user_data`, or a foreign client, put into its metadata.
    pub fn user_data(self) -> Option<&'g [u8]> {
        self.row().user_data
    }

    /// Whether it subscribes to a topic.
    #[inline]
    pub fn subscribes(self, topic: Topic<'_>) -> bool {
        self.group.read.subscriptions[self.row().subscription as usize].contains(topic.index)
    }

    /// The index of its subscription among the distinct ones: members with the same index read the same topics.
    #[inline]
    pub fn subscription(self) -> usize {
        self.row().subscription as usize
    }

    #[inline]
    fn row(self) -> &'g request::Member<'g> {
        &self.group.read.members[self.index()]
    }
}

impl PartialEq for Member<'_> {
    /// Members of one group are compared by their index.
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Eq for Member<'_> {}
