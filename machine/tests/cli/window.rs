// SPDX-License-Identifier: Apache-2.0
//! `--window`: where it begins and ends, what it holds, and what is refused.

use serde_json::{json, Value};

use super::{exit_with, program, text, Scratch};

/// The window of a guest that ends with `status`, between moments, and what was said.
fn window(name: &str, status: u32, moments: &[&str]) -> (Option<Value>, String, Option<i32>) {
    let scratch = Scratch::new(name);
    let image = scratch.image("guest", &exit_with(status));
    let file = scratch.path("window.json");
    let mut arguments = vec!["boot", "--machine", "sa1110", "--kernel", &image];
    arguments.extend(["--window", &file]);
    arguments.extend(moments);
    let done = program(&arguments);
    let written = std::fs::read(&file).ok();
    let window = written.map(|bytes| serde_json::from_slice(&bytes).expect("it is JSON"));
    (window, text(&done.stderr), done.status.code())
}

#[test]
fn it_holds_what_each_instruction_changes() {
    let (window, said, status) = window("window", 5, &["--from", "0xc0010004"]);
    let window = window.expect("there is one");
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(window["complete"], false, "the guest ended first");
    assert_eq!(window["start"]["registers"][1], 0x5000_0000_u32);
    let steps = window["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0]["code"], "e3a00005");
    assert_eq!(steps[0]["registers"], json!([[0, 5]]));
    assert_eq!(steps[1]["accesses"], json!([[1, 0x5000_0010, 5]]));
}

#[test]
fn the_run_ends_with_it() {
    let moments = ["--from", "0xc0010004", "--to", "0xc0010008"];
    let (window, said, status) = window("window-end", 5, &moments);
    let window = window.expect("there is one");
    assert_eq!(window["steps"].as_array().map(Vec::len), Some(1));
    assert_eq!(window["complete"], true);
    assert!(said.contains("the window ended after"), "{said}");
    assert_eq!(status, Some(0), "what comes after it is not looked at");
}

#[test]
fn one_that_does_not_come_is_refused() {
    let (window, said, status) = window("window-none", 0, &["--from", "region:1"]);
    assert!(window.is_none());
    let line = "--from: the window did not begin: 0 of 1 moments came";
    assert_eq!(said, format!("switchyard-machine: {line}\n"));
    assert_eq!(status, Some(2));
    let moments = ["--from", "0xc0010004", "--having", "exception:swi"];
    let (window, said, _) = self::window("window-without", 0, &moments);
    assert!(window.is_none());
    assert!(said.contains("no window had what it was to have"), "{said}");
    let moments = [&moments[..], &["--to", "0xc0010008"]].concat();
    let (window, said, _) = self::window("window-again", 0, &moments);
    assert!(window.is_none());
    assert!(said.contains("no window had what it was to have"), "{said}");
}

#[test]
fn a_moment_must_be_one() {
    let (_, said, status) = window("window-moment", 0, &["--to", "regoin:1"]);
    assert!(said.starts_with("switchyard-machine: --to regoin:1: no such moment; expected a cycle"));
    assert_eq!((said.lines().count(), status), (1, Some(2)));
}
