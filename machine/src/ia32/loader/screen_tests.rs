// SPDX-License-Identifier: Apache-2.0
//! Modes that kernels ask for, and what they are told: Linux' structure and Multiboot's, field by field.

use super::*;
use crate::registry;

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

#[test]
fn linux_asks_by_a_word() {
    let asked = |append: &str| {
        of_command_line(append)
            .ok()
            .unwrap()
            .map(|mode| mode.number)
    };
    assert_eq!(asked("quiet"), None);
    assert_eq!(asked("vga=normal"), None);
    assert_eq!(asked("a vga=0x311 b"), Some(0x111));
    assert_eq!(asked("vga=0x311 vga=788"), Some(0x114));
    for wrong in ["vga=0x310", "vga=0x311x", "vga="] {
        let said = of_command_line(wrong).err().unwrap().to_string();
        assert!(said.contains(wrong) && said.contains("0x311"), "{said}");
    }
}

#[test]
fn linux_is_told_where_it_is() {
    let info = info(MODES.into_iter().find(|mode| mode.number == 0x114).unwrap());
    assert_eq!(info[0x0f], 0x23);
    assert_eq!(
        [0x12, 0x14, 0x16, 0x24].map(|at| half(&info, at)),
        [800, 600, 16, 1600]
    );
    assert_eq!(info[0x18..0x20], [0, 0, 0, 0xe0, 64, 0, 0, 0]);
    assert_eq!(info[0x26..0x2e], [5, 11, 6, 5, 5, 0, 0, 0]);
}

#[test]
fn multiboot_kernels_get_the_nearest() {
    let near = |w, h, d| {
        nearest(w, h, d)
            .map(|m| (m.width, m.height, m.depth))
            .unwrap()
    };
    assert_eq!(near(800, 600, 16), (800, 600, 16));
    assert_eq!(near(1000, 700, 24), (1024, 768, 24));
    assert_eq!(near(320, 200, 8), (640, 480, 16));
    assert_eq!(near(0, 0, 0), (640, 480, 32));
    let told = multiboot(nearest(800, 600, 32).unwrap());
    assert_eq!(told[..8], [0, 0, 0, 0xe0, 0, 0, 0, 0]);
    assert_eq!([8, 12, 16].map(|at| half(&told, at)), [3200, 800, 600]);
    assert_eq!(told[20..28], [32, 1, 16, 8, 8, 8, 0, 8]);
}

#[test]
fn a_mode_is_shown_once_it_is_set() {
    let board = registry::board("isa-pc").unwrap();
    let mut bus = Bus::new((board.parts)(1 << 20), 1_400_000_000);
    set(MODES[4], &mut bus);
    let picture = bus.picture().unwrap().unwrap();
    assert_eq!((picture.width, picture.height), (800, 600));
    let mut counters = Counters::new();
    assert!(bus.write(vbe::MEMORY_AT + 2, 0xffff, Width::Half, 0, &mut counters));
    let rgb = bus.picture().unwrap().unwrap().rgb;
    assert_eq!(rgb[..9], [0, 0, 0, 255, 255, 255, 0, 0, 0]);
}
