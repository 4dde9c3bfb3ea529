// SPDX-License-Identifier: Apache-2.0
//! A keyboard of 101 keys as IBM's PS/2 has it (*Personal System/2 Hardware Interface Technical Reference*,
//! "Keyboard (101- and 102-key)"): its codes of sets 1 and 2, its commands, and a buffer of 16 bytes. It answers as QEMU's
//! does. It is at the end of a cable to `i8042.rs`, over which each byte takes its time.
//!
//! Keys that are held down do not repeat: who presses them says how often. Set 3 is not there, nor the other
//! codes that Print and Pause have beside Alt and Ctrl.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Prefixes: a key that the AT's keyboard had not, or Pause; the key is released (set 2).
const EXTENDED: u8 = 0xe0;
const PAUSE: u8 = 0xe1;
const RELEASED: u8 = 0xf0;
/// A released key's code of set 1 has this.
const RELEASED_BIT: u8 = 0x80;

/// What an 8042 makes of codes of set 2, which are those of set 1 then (the reference, "Keyboard and Auxiliary Device
/// Controller"). From here on a byte stays what it is.
const TRANSLATED: [u8; 0x86] = [
    0xff, 0x43, 0x41, 0x3f, 0x3d, 0x3b, 0x3c, 0x58, 0x64, 0x44, 0x42, 0x40, 0x3e, 0x0f, 0x29, 0x59,
    0x65, 0x38, 0x2a, 0x70, 0x1d, 0x10, 0x02, 0x5a, 0x66, 0x71, 0x2c, 0x1f, 0x1e, 0x11, 0x03, 0x5b,
    0x67, 0x2e, 0x2d, 0x20, 0x12, 0x05, 0x04, 0x5c, 0x68, 0x39, 0x2f, 0x21, 0x14, 0x13, 0x06, 0x5d,
    0x69, 0x31, 0x30, 0x23, 0x22, 0x15, 0x07, 0x5e, 0x6a, 0x72, 0x32, 0x24, 0x16, 0x08, 0x09, 0x5f,
    0x6b, 0x33, 0x25, 0x17, 0x18, 0x0b, 0x0a, 0x60, 0x6c, 0x34, 0x35, 0x26, 0x27, 0x19, 0x0c, 0x61,
    0x6d, 0x73, 0x28, 0x74, 0x1a, 0x0d, 0x62, 0x6e, 0x3a, 0x36, 0x1c, 0x1b, 0x75, 0x2b, 0x63, 0x76,
    0x55, 0x56, 0x77, 0x78, 0x79, 0x7a, 0x0e, 0x7b, 0x7c, 0x4f, 0x7d, 0x4b, 0x47, 0x7e, 0x7f, 0x6f,
    0x52, 0x53, 0x50, 0x4c, 0x4d, 0x48, 0x01, 0x45, 0x57, 0x4e, 0x51, 0x4a, 0x37, 0x49, 0x46, 0x54,
    0x80, 0x81, 0x82, 0x41, 0x54, 0x85,
];

/// Keys by the names that QEMU's `sendkey` gives them, with their codes of set 1; 100h: after E0h.
#[rustfmt::skip]
const KEYS: [(&str, u16); 101] = [
    ("esc", 0x01), ("1", 0x02), ("2", 0x03), ("3", 0x04), ("4", 0x05), ("5", 0x06), ("6", 0x07), ("7", 0x08),
    ("8", 0x09), ("9", 0x0a), ("0", 0x0b), ("minus", 0x0c), ("equal", 0x0d), ("backspace", 0x0e),
    ("tab", 0x0f), ("q", 0x10), ("w", 0x11), ("e", 0x12), ("r", 0x13), ("t", 0x14), ("y", 0x15), ("u", 0x16),
    ("i", 0x17), ("o", 0x18), ("p", 0x19), ("bracket_left", 0x1a), ("bracket_right", 0x1b), ("ret", 0x1c),
    ("ctrl", 0x1d), ("a", 0x1e), ("s", 0x1f), ("d", 0x20), ("f", 0x21), ("g", 0x22), ("h", 0x23), ("j", 0x24),
    ("k", 0x25), ("l", 0x26), ("semicolon", 0x27), ("apostrophe", 0x28), ("grave_accent", 0x29),
    ("shift", 0x2a), ("backslash", 0x2b), ("z", 0x2c), ("x", 0x2d), ("c", 0x2e), ("v", 0x2f), ("b", 0x30),
    ("n", 0x31), ("m", 0x32), ("comma", 0x33), ("dot", 0x34), ("slash", 0x35), ("shift_r", 0x36),
    ("asterisk", 0x37), ("alt", 0x38), ("spc", 0x39), ("caps_lock", 0x3a), ("f1", 0x3b), ("f2", 0x3c), ("f3", 0x3d),
    ("f4", 0x3e), ("f5", 0x3f), ("f6", 0x40), ("f7", 0x41), ("f8", 0x42), ("f9", 0x43), ("f10", 0x44),
    ("num_lock", 0x45), ("scroll_lock", 0x46), ("kp_7", 0x47), ("kp_8", 0x48), ("kp_9", 0x49),
    ("kp_subtract", 0x4a), ("kp_4", 0x4b), ("kp_5", 0x4c), ("kp_6", 0x4d), ("kp_add", 0x4e), ("kp_1", 0x4f),
    ("kp_2", 0x50), ("kp_3", 0x51), ("kp_0", 0x52), ("kp_decimal", 0x53), ("f11", 0x57), ("f12", 0x58),
    ("kp_enter", 0x11c), ("ctrl_r", 0x11d), ("kp_divide", 0x135), ("print", 0x137), ("alt_r", 0x138),
    ("pause", 0x145), ("home", 0x147), ("up", 0x148), ("pgup", 0x149), ("left", 0x14b), ("right", 0x14d),
    ("end", 0x14f), ("down", 0x150), ("pgdn", 0x151), ("insert", 0x152), ("delete", 0x153),
];

/// What keys of a US keyboard type, by their codes of set 1, without and with Shift.
const PLAIN: &str = "\0\u{1b}1234567890-=\u{8}\tqwertyuiop[]\r\0asdfghjkl;'`\0\\zxcvbnm,./\0\0\0 ";
const SHIFTED: &str = "\0\0!@#$%^&*()_+\0\0QWERTYUIOP{}\0\0ASDFGHJKL:\"~\0|ZXCVBNM<>?";

/// A key: its code of set 1, with 100h after E0h.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(u16);

const PRINT: Key = Key(0x137);
const BREAK: Key = Key(0x145);

impl Key {
    /// The key that QEMU's `sendkey` calls so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let found = KEYS.iter().find(|(of, _)| *of == name);
        found.map(|(_, code)| Self(*code))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = KEYS.iter().find(|(_, code)| *code == self.0);
        found.map_or("", |(name, _)| name)
    }

    /// Those that are pressed together to type this character on a US keyboard.
    #[must_use]
    pub fn typing(character: char) -> Option<Vec<Self>> {
        let on = |keys: &str| keys.chars().position(|c| c == character && c != '\0');
        let key = |code: usize| Self(code as u16);
        let shifted = || on(SHIFTED).map(|code| vec![Self(0x2a), key(code)]);
        match character {
            '\n' => Self::typing('\r'),
            _ => on(PLAIN).map(|code| vec![key(code)]).or_else(shifted),
        }
    }

    /// Every key.
    pub fn every() -> impl Iterator<Item = Self> {
        KEYS.iter().map(|(_, code)| Self(*code))
    }

    /// What it sends in a set when it is pressed or released.
    fn codes(self, set: u8, pressed: bool) -> Vec<u8> {
        let one = |code: u8, pressed| match (set, pressed) {
            (1, true) => vec![code],
            (1, false) => vec![code | RELEASED_BIT],
            (_, true) => vec![in_set_2(code)],
            (_, false) => vec![RELEASED, in_set_2(code)],
        };
        let extended = |code, pressed| [vec![EXTENDED], one(code, pressed)].concat();
        match (self, pressed) {
            // they do not know how long they are held, and come with a Shift that nobody presses
            (BREAK, true) => [true, false]
                .map(|pressed| [vec![PAUSE], one(0x1d, pressed), one(0x45, pressed)].concat())
                .concat(),
            (BREAK, false) => Vec::new(),
            (PRINT, true) => [extended(0x2a, true), extended(0x37, true)].concat(),
            (PRINT, false) => [extended(0x37, false), extended(0x2a, false)].concat(),
            (Self(code @ 0x100..), _) => extended(code as u8, pressed),
            (Self(code), _) => one(code as u8, pressed),
        }
    }
}

/// The code of set 2 that becomes this one of set 1.
fn in_set_2(code: u8) -> u8 {
    let found = TRANSLATED.iter().rposition(|of| *of == code);
    found.map_or(0, |code| code as u8)
}

/// What an 8042 that translates passes on of a byte; `released`: of F0h, which stands before a code.
pub fn translated(byte: u8, released: bool) -> Option<u8> {
    let code = TRANSLATED.get(usize::from(byte)).copied().unwrap_or(byte);
    match byte {
        RELEASED => None,
        _ if released => Some(code | RELEASED_BIT),
        _ => Some(code),
    }
}

/// Commands, and the answers to them.
mod command {
    pub const LIGHTS: u8 = 0xed;
    pub const ECHO: u8 = 0xee;
    pub const SET: u8 = 0xf0;
    pub const IDENTIFY: u8 = 0xf2;
    pub const RATE: u8 = 0xf3;
    pub const ENABLE: u8 = 0xf4;
    pub const DISABLE: u8 = 0xf5;
    pub const DEFAULTS: u8 = 0xf6;
    pub const ALL_TYPEMATIC: u8 = 0xfa;
    pub const RESET: u8 = 0xff;

    pub const DONE: u8 = 0xfa;
    pub const AGAIN: u8 = 0xfe;
    pub const WORKS: u8 = 0xaa;
    pub const IDENTITY: [u8; 2] = [0xab, 0x83];
}

/// Bytes that wait for the cable; a key for which there is no room is lost.
const ROOM: usize = 16;

/// The keyboard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Keyboard {
    /// Answers to the last command, which go before keys.
    answers: VecDeque<u8>,
    keys: VecDeque<u8>,
    set: u8,
    scans: bool,
    /// The command whose parameter is to come.
    expects: Option<u8>,
}

impl Default for Keyboard {
    /// As a BIOS leaves it.
    fn default() -> Self {
        Self {
            answers: VecDeque::new(),
            keys: VecDeque::new(),
            set: 2,
            scans: true,
            expects: None,
        }
    }
}

impl Keyboard {
    /// A key is pressed, or released.
    pub fn key(&mut self, key: Key, pressed: bool) {
        let codes = key.codes(self.set, pressed);
        if self.scans && self.keys.len() + codes.len() <= ROOM {
            self.keys.extend(codes);
        }
    }

    /// Whether it has something to send.
    #[must_use]
    pub fn has_more(&self) -> bool {
        !self.answers.is_empty() || !self.keys.is_empty()
    }

    /// Sends it.
    pub fn next_byte(&mut self) -> Option<u8> {
        self.answers.pop_front().or_else(|| self.keys.pop_front())
    }

    /// It is sent a command or a parameter.
    pub fn take(&mut self, byte: u8) {
        use command::*;
        let answer: &[u8] = match (self.expects.take(), byte) {
            (Some(SET), 0) => &[DONE, self.set],
            (Some(SET), 1 | 2) => {
                self.set = byte;
                &[DONE]
            }
            (Some(SET), _) => &[AGAIN],
            (Some(_), _) => &[DONE],
            (None, LIGHTS | SET | RATE) => {
                self.expects = Some(byte);
                &[DONE]
            }
            (None, ECHO) => &[ECHO],
            (None, IDENTIFY) => &[DONE, IDENTITY[0], IDENTITY[1]],
            (None, ENABLE) => {
                self.scans = true;
                &[DONE]
            }
            (None, DISABLE | DEFAULTS | RESET) => {
                *self = Self::default();
                self.scans = byte != DISABLE;
                match byte {
                    RESET => &[DONE, WORKS],
                    _ => &[DONE],
                }
            }
            (None, 0 | ALL_TYPEMATIC) => &[DONE],
            (None, _) => &[AGAIN],
        };
        self.answers = answer.iter().copied().collect();
    }
}

#[cfg(test)]
#[path = "keyboard_tests.rs"]
mod tests;
