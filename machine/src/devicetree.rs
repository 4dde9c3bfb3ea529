// SPDX-License-Identifier: Apache-2.0
//! Flattened device trees (the Devicetree Specification, chapter 5): read into a tree, changed as
//! a boot loader changes it, written again. Every offset and length of a file is checked before it
//! is used; a tree that is too deep or too large is refused.

/// What every device tree should have been.
pub const A_DEVICE_TREE: &str = "a flattened device tree (DTB)";

const MAGIC: u32 = 0xd00d_feed;
const VERSION: u32 = 17;
const LAST_COMPATIBLE: u32 = 16;
const HEADER_BYTES: usize = 40;
const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROPERTY: u32 = 3;
const NOTHING: u32 = 4;
const END: u32 = 9;
/// Largest file: those of real boards have less than a hundredth of that.
const MOST_BYTES: usize = 2 << 20;
/// Deepest nesting of nodes.
const MOST_DEPTH: usize = 64;

/// A node with its properties and the nodes in it, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name with unit address; empty for the root.
    pub name: String,
    /// Names and values.
    pub properties: Vec<(String, Vec<u8>)>,
    /// The nodes in it.
    pub children: Vec<Node>,
}

impl Node {
    /// The value of a property.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&[u8]> {
        let mut all = self.properties.iter();
        all.find_map(|(known, value)| (known == name).then_some(&value[..]))
    }

    /// The value of a property that is one cell.
    #[must_use]
    pub fn cell(&self, name: &str) -> Option<u32> {
        let bytes: [u8; 4] = self.property(name)?.try_into().ok()?;
        Some(u32::from_be_bytes(bytes))
    }

    /// Sets a property to cells.
    pub fn set_cells(&mut self, name: &str, cells: &[u32]) {
        let bytes = cells.iter().flat_map(|cell| cell.to_be_bytes()).collect();
        self.set(name, bytes);
    }

    /// Sets a property to a string.
    pub fn set_string(&mut self, name: &str, value: &str) {
        let mut bytes = value.as_bytes().to_vec();
        bytes.push(0);
        self.set(name, bytes);
    }

    fn set(&mut self, name: &str, value: Vec<u8>) {
        match self.properties.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.properties.push((name.to_string(), value)),
        }
    }

    /// The node in it of that name without unit address, made if there is none.
    pub fn child(&mut self, name: &str) -> &mut Self {
        let found = self
            .children
            .iter()
            .position(|child| child.name.split('@').next() == Some(name));
        let at = found.unwrap_or_else(|| {
            self.children.push(Self {
                name: name.to_string(),
                ..Self::default()
            });
            self.children.len() - 1
        });
        &mut self.children[at]
    }
}

/// A device tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceTree {
    /// Memory that must not be used: addresses and sizes.
    pub reserved: Vec<(u64, u64)>,
    /// The root node.
    pub root: Node,
    /// The processor that boots.
    pub boot_cpu: u32,
}

/// Reads big-endian numbers and strings from a block of a file.
struct Reader<'a> {
    block: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn word(&mut self) -> Option<u32> {
        let bytes = self.block.get(self.at..self.at.checked_add(4)?)?;
        self.at += 4;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    fn double(&mut self) -> Option<u64> {
        Some((u64::from(self.word()?) << 32) | u64::from(self.word()?))
    }

    /// Bytes, and the padding to the next word after them.
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let bytes = self.block.get(self.at..end)?;
        self.at = end.checked_next_multiple_of(4)?;
        Some(bytes)
    }

    fn name(&mut self) -> Option<String> {
        let text = string_at(self.block, self.at)?;
        self.bytes(text.len() + 1)?;
        Some(text)
    }
}

/// The string that ends with a NUL at `at`.
fn string_at(block: &[u8], at: usize) -> Option<String> {
    let rest = block.get(at..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    String::from_utf8(rest[..end].to_vec()).ok()
}

impl DeviceTree {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(file: &[u8]) -> Result<Self, String> {
        if file.len() > MOST_BYTES {
            return Err(format!("has {} bytes, more than {MOST_BYTES}", file.len()));
        }
        let mut header = Reader { block: file, at: 0 };
        if header.word() != Some(MAGIC) {
            return Err("does not begin with the mark of a device tree".to_string());
        }
        let mut fields = [0; 9];
        for field in &mut fields {
            *field = header.word().ok_or("is a truncated device tree")?;
        }
        let [total, structure, strings, reserved, _, oldest, boot_cpu, strings_bytes, structure_bytes] =
            fields;
        if oldest > VERSION {
            return Err(format!(
                "needs version {oldest} of the format, newer than {VERSION}"
            ));
        }
        let block = |start: u32, bytes: Option<u32>| {
            let whole = file.get(..total as usize)?;
            let rest = whole.get(start as usize..)?;
            bytes.map_or(Some(rest), |bytes| rest.get(..bytes as usize))
        };
        let damaged = || "is a truncated or damaged device tree".to_string();
        let structure = block(structure, Some(structure_bytes)).ok_or_else(damaged)?;
        let strings = block(strings, Some(strings_bytes)).ok_or_else(damaged)?;
        let reserved = block(reserved, None).ok_or_else(damaged)?;
        Ok(Self {
            reserved: read_reserved(reserved).ok_or_else(damaged)?,
            root: read_nodes(structure, strings).ok_or_else(damaged)?,
            boot_cpu,
        })
    }

    /// The file of this tree.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.node(&self.root);
        writer.word(END);
        let reserved_at = HEADER_BYTES;
        let structure_at = reserved_at + 16 * (self.reserved.len() + 1);
        let strings_at = structure_at + writer.structure.len();
        let total = strings_at + writer.strings.len();
        let header = [
            MAGIC,
            total as u32,
            structure_at as u32,
            strings_at as u32,
            reserved_at as u32,
            VERSION,
            LAST_COMPATIBLE,
            self.boot_cpu,
            writer.strings.len() as u32,
            writer.structure.len() as u32,
        ];
        let mut file: Vec<u8> = header.iter().flat_map(|word| word.to_be_bytes()).collect();
        for (address, size) in self.reserved.iter().chain(&[(0, 0)]) {
            file.extend(address.to_be_bytes());
            file.extend(size.to_be_bytes());
        }
        file.extend(writer.structure);
        file.extend(writer.strings);
        file
    }
}

fn read_reserved(block: &[u8]) -> Option<Vec<(u64, u64)>> {
    let mut reader = Reader { block, at: 0 };
    let mut list = Vec::new();
    loop {
        match (reader.double()?, reader.double()?) {
            (0, 0) => return Some(list),
            entry => list.push(entry),
        }
    }
}

fn read_nodes(structure: &[u8], strings: &[u8]) -> Option<Node> {
    let mut reader = Reader {
        block: structure,
        at: 0,
    };
    // The nodes that are open, the root first.
    let mut open: Vec<Node> = Vec::new();
    loop {
        match reader.word()? {
            BEGIN_NODE if open.len() < MOST_DEPTH => open.push(Node {
                name: reader.name()?,
                ..Node::default()
            }),
            PROPERTY => {
                let (bytes, name) = (reader.word()? as usize, reader.word()? as usize);
                let value = reader.bytes(bytes)?.to_vec();
                let name = string_at(strings, name)?;
                open.last_mut()?.properties.push((name, value));
            }
            END_NODE => {
                let node = open.pop()?;
                match open.last_mut() {
                    Some(parent) => parent.children.push(node),
                    None => return Some(node),
                }
            }
            NOTHING => {}
            _ => return None,
        }
    }
}

/// The blocks of a file that is being written.
#[derive(Default)]
struct Writer {
    structure: Vec<u8>,
    strings: Vec<u8>,
    /// Where each property name stands in `strings`.
    known: std::collections::BTreeMap<String, u32>,
}

impl Writer {
    fn word(&mut self, word: u32) {
        self.structure.extend(word.to_be_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.structure.extend(bytes);
        let padded = self.structure.len().next_multiple_of(4);
        self.structure.resize(padded, 0);
    }

    fn string(&mut self, name: &str) -> u32 {
        if let Some(at) = self.known.get(name) {
            return *at;
        }
        let at = self.strings.len() as u32;
        self.strings.extend(name.as_bytes());
        self.strings.push(0);
        self.known.insert(name.to_string(), at);
        at
    }

    fn node(&mut self, node: &Node) {
        self.word(BEGIN_NODE);
        self.bytes(&[node.name.as_bytes(), b"\0"].concat());
        for (name, value) in &node.properties {
            let name = self.string(name);
            self.word(PROPERTY);
            self.word(value.len() as u32);
            self.word(name);
            self.bytes(value);
        }
        for child in &node.children {
            self.node(child);
        }
        self.word(END_NODE);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn node() -> impl Strategy<Value = Node> {
        let property = ("[a-z#,-]{1,12}", prop::collection::vec(any::<u8>(), 0..20));
        let leaf = (
            "[a-z]{1,8}(@[0-9a-f]{1,8})?",
            prop::collection::vec(property.clone(), 0..5),
        )
            .prop_map(|(name, properties)| Node {
                name,
                properties,
                children: Vec::new(),
            });
        leaf.prop_recursive(4, 40, 5, |inner| {
            (inner.clone(), prop::collection::vec(inner, 0..5)).prop_map(|(mut node, children)| {
                node.children = children;
                node
            })
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            root in node(),
            reserved in prop::collection::vec((1u64.., any::<u64>()), 0..3),
            boot_cpu: u32,
        ) {
            let tree = DeviceTree { reserved, root, boot_cpu };
            prop_assert_eq!(DeviceTree::parse(&tree.to_bytes()), Ok(tree));
        }

        #[test]
        fn damage_is_an_error_or_another_tree(
            root in node(),
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        ) {
            let mut file = DeviceTree { root, ..DeviceTree::default() }.to_bytes();
            for (at, byte) in damage {
                let at = at.index(file.len());
                file[at] = byte;
            }
            // Whatever comes out: no panic, and never more than was in the file.
            if let Ok(tree) = DeviceTree::parse(&file) {
                prop_assert!(tree.root.children.len() <= file.len());
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let file = DeviceTree::default().to_bytes();
        for (file, what) in [
            (&file[..0], "does not begin with the mark of a device tree"),
            (&file[..20], "is a truncated device tree"),
            (
                &file[..file.len() - 1],
                "is a truncated or damaged device tree",
            ),
            (
                &b"\x7fELF"[..],
                "does not begin with the mark of a device tree",
            ),
        ] {
            assert_eq!(DeviceTree::parse(file), Err(what.to_string()));
        }
    }

    #[test]
    fn a_child_is_found_by_its_name_without_address() {
        let mut root = Node::default();
        root.child("memory").name = "memory@0".to_string();
        root.child("memory").set_cells("reg", &[0, 64]);
        root.child("chosen").set_string("bootargs", "quiet");
        assert_eq!(root.children.len(), 2);
        assert_eq!(
            root.child("memory").property("reg"),
            Some(&[0, 0, 0, 0, 0, 0, 0, 64][..])
        );
        assert_eq!(
            root.child("chosen").property("bootargs"),
            Some(&b"quiet\0"[..])
        );
    }
}
