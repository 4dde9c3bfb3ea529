// SPDX-License-Identifier: Apache-2.0
//! The keyboard: codes and commands.

use super::*;

fn key(name: &str) -> Key {
    Key::named(name).unwrap()
}

fn sent(keyboard: &mut Keyboard) -> Vec<u8> {
    std::iter::from_fn(|| keyboard.next_byte()).collect()
}

fn answers(keyboard: &mut Keyboard, byte: u8) -> Vec<u8> {
    keyboard.take(byte);
    sent(keyboard)
}

/// As the reference's table of scan codes has them.
#[test]
fn codes_of_both_sets() {
    let both = |name, pressed| [1, 2].map(|set| key(name).codes(set, pressed));
    assert_eq!(both("a", true), [vec![0x1e], vec![0x1c]]);
    assert_eq!(both("a", false), [vec![0x9e], vec![0xf0, 0x1c]]);
    assert_eq!(both("f7", true), [vec![0x41], vec![0x83]]);
    assert_eq!(both("caps_lock", true), [vec![0x3a], vec![0x58]]);
    assert_eq!(both("up", true), [vec![0xe0, 0x48], vec![0xe0, 0x75]]);
    assert_eq!(
        both("delete", false),
        [vec![0xe0, 0xd3], vec![0xe0, 0xf0, 0x71]]
    );
    assert_eq!(
        both("print", true),
        [vec![0xe0, 0x2a, 0xe0, 0x37], vec![0xe0, 0x12, 0xe0, 0x7c]]
    );
    assert_eq!(
        both("pause", true)[1],
        [0xe1, 0x14, 0x77, 0xe1, 0xf0, 0x14, 0xf0, 0x77]
    );
    assert_eq!(both("pause", false), [Vec::<u8>::new(), Vec::new()]);
}

/// Whatever a key sends in set 2, the controller makes of it what it sends in set 1.
#[test]
fn set_2_becomes_set_1() {
    for key in Key::every() {
        for pressed in [true, false] {
            let mut released = false;
            let mut passed = Vec::new();
            for byte in key.codes(2, pressed) {
                passed.extend(translated(byte, released));
                released = byte == RELEASED;
            }
            assert_eq!(passed, key.codes(1, pressed), "{}", key.name());
        }
        assert_eq!(Key::named(key.name()), Some(key));
    }
}

#[test]
fn every_character_has_its_keys() {
    for character in ' '..='~' {
        assert!(Key::typing(character).is_some(), "{character}");
    }
    let names = |character| -> Vec<_> {
        let keys = Key::typing(character).unwrap_or_default();
        keys.into_iter().map(Key::name).collect()
    };
    assert_eq!(names('a'), ["a"]);
    assert_eq!(names('A'), ["shift", "a"]);
    assert_eq!(names('|'), ["shift", "backslash"]);
    assert_eq!(names('~'), ["shift", "grave_accent"]);
    assert_eq!(names('\n'), ["ret"]);
    assert_eq!(names('\0'), [""; 0]);
    assert_eq!(names('é'), [""; 0]);
}

#[test]
fn commands_are_answered() {
    let mut k = Keyboard::default();
    assert_eq!(answers(&mut k, 0xf2), [0xfa, 0xab, 0x83]);
    assert_eq!(answers(&mut k, 0xee), [0xee]);
    assert_eq!(answers(&mut k, 0xed), [0xfa]);
    assert_eq!(answers(&mut k, 0x07), [0xfa]);
    assert_eq!(answers(&mut k, 0x07), [0xfe]);
    // sets
    for (parameter, answer) in [(0, vec![0xfa, 2]), (3, vec![0xfe]), (1, vec![0xfa])] {
        assert_eq!(answers(&mut k, 0xf0), [0xfa]);
        assert_eq!(answers(&mut k, parameter), answer);
    }
    k.key(key("a"), true);
    assert_eq!(sent(&mut k), [0x1e]);
    // off, and on again
    assert_eq!(answers(&mut k, 0xf5), [0xfa]);
    k.key(key("a"), false);
    assert_eq!(sent(&mut k), Vec::<u8>::new());
    assert_eq!(answers(&mut k, 0xf4), [0xfa]);
    k.key(key("a"), true);
    // an answer goes before it, unless it is cleared
    assert_eq!(answers(&mut k, 0xee), [0xee, 0x1c]);
    k.key(key("a"), true);
    assert_eq!(answers(&mut k, 0xff), [0xfa, 0xaa]);
}

#[test]
fn keys_without_room_are_lost() {
    let mut k = Keyboard::default();
    for _ in 0..5 {
        k.key(key("delete"), false);
    }
    k.key(key("a"), true);
    k.key(key("a"), false);
    assert_eq!(sent(&mut k).len(), 16);
}
