//! Flat tables: lists by a key one after another, and sets as bits. No maps: a plan of a million partitions walks memory in order.

/// No class, no kind, no member, no entry.
pub const NONE: u32 = u32::MAX;

/// For each key a list of items.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Sorts items by their keys, which are below `count`; those with key [`NONE`] are left out. Items of one key keep their order.
    pub fn by_key(count: usize, keys: &[u32], items: &[u32]) -> Self {
        Self::sorted(count, keys, Some(items))
    }

    /// Sorts the positions of keys by the keys, likewise.
    pub fn positions(count: usize, keys: &[u32]) -> Self {
        Self::sorted(count, keys, None)
    }

    #[inline(never)]
    fn sorted(count: usize, keys: &[u32], items: Option<&[u32]>) -> Self {
        let mut starts = vec![0; count + 1];
        keys.iter().filter(|key| **key != NONE).for_each(|&key| starts[key as usize + 1] += 1);
        for key in 0..count {
            starts[key + 1] += starts[key];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0; starts[count] as usize];
        for (at, &key) in keys.iter().enumerate().filter(|(_, key)| **key != NONE) {
            sorted[next[key as usize] as usize] = items.map_or(at as u32, |items| items[at]);
            next[key as usize] += 1;
        }
        Lists { starts, items: sorted }
    }

    /// The items of a key.
    #[inline]
    pub fn of(&self, key: u32) -> &[u32] {
        let key = key as usize;
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }

    /// How many keys there are.
    pub fn keys(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// Rows of bits.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    words: usize,
    bits: Vec<u64>,
}

impl Bits {
    /// All zero.
    pub fn new(rows: usize, columns: usize) -> Self {
        let words = columns.div_ceil(64);
        Bits { words, bits: vec![0; rows * words] }
    }

    /// Sets a bit.
    #[inline]
    pub fn set(&mut self, row: u32, column: u32) {
        self.bits[row as usize * self.words + column as usize / 64] |= 1 << (column % 64);
    }

    /// Sets 64 bits of a row at once.
    #[inline]
    pub fn set_word(&mut self, row: u32, word: usize, bits: u64) {
        self.bits[row as usize * self.words + word] = bits;
    }

    /// Whether a bit is set.
    #[inline]
    pub fn has(&self, row: u32, column: u32) -> bool {
        self.bits[row as usize * self.words + column as usize / 64] >> (column % 64) & 1 == 1
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: u32) -> &[u64] {
        &self.bits[row as usize * self.words..][..self.words]
    }

    /// How many bits of a row are set.
    pub fn count(&self, row: u32) -> usize {
        self.row(row).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The set bits of a row, ascending.
    #[inline]
    pub fn ones(&self, row: u32) -> impl Iterator<Item = u32> + use<'_> {
        let words = self.row(row).iter().enumerate();
        words.flat_map(|(at, &word)| ones_of(word).map(move |bit| at as u32 * 64 + bit))
    }

    /// The first set bit of a row from a column on.
    #[inline]
    pub fn next(&self, row: u32, from: u32) -> Option<u32> {
        let row = self.row(row);
        let mut at = from as usize / 64;
        let mut word = row.get(at)? & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = *row.get(at)?;
        }
        Some(at as u32 * 64 + word.trailing_zeros())
    }
}

/// The set bits of a word, ascending.
#[inline]
pub fn ones_of(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

/// Two numbers as one that sorts by the first, then by the second.
#[inline]
pub fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// The second number of a pair.
#[inline]
pub fn second(pair: u64) -> u32 {
    pair as u32
}

/// The first number of a pair.
#[inline]
pub fn first(pair: u64) -> u32 {
    (pair >> 32) as u32
}

/// Sorts pairs. All sorting goes through here: each type that is sorted adds kilobytes to every module.
#[inline(never)]
pub fn sort(pairs: &mut [u64]) {
    pairs.sort_unstable();
}

/// Numbers lists through in the order in which they are first seen.
#[derive(Default)]
pub struct Sets {
    starts: Vec<u32>,
    items: Vec<u32>,
    /// A hash table of numbers, at most half full.
    table: Vec<u32>,
}

impl Sets {
    /// How many different lists there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The list with a number.
    pub fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let end = self.starts.get(number + 1).map_or(self.items.len(), |&end| end as usize);
        &self.items[self.starts[number] as usize..end]
    }

    /// The number of a list.
    pub fn number(&mut self, list: &[u32]) -> u32 {
        if self.table.len() < 2 * (self.len() + 1) {
            let numbers = 0..self.len() as u32;
            self.table = vec![NONE; (4 * (self.len() + 1)).next_power_of_two().max(16)];
            for number in numbers {
                let place = self.place(hash(self.get(number)), |_| false);
                self.table[place] = number;
            }
        }
        let place = self.place(hash(list), |number| self.get(number) == list);
        if self.table[place] == NONE {
            self.table[place] = self.len() as u32;
            self.starts.push(self.items.len() as u32);
            self.items.extend_from_slice(list);
        }
        self.table[place]
    }

    /// Where a list is in the table, or would be.
    fn place(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> usize {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place] != NONE && !is_it(self.table[place]) {
            place = (place + 1) & mask;
        }
        place
    }
}

fn hash(list: &[u32]) -> u64 {
    let mixed = list.iter().fold(0_u64, |hash, &item| {
        (hash.rotate_left(23) ^ u64::from(item).wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    mixed ^ (mixed >> 32)
}
