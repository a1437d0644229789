//! The tutorial's commands, run in their order on the tables it gives.

use crate::support::Desk;

/// Blocks of the document: the language after the fence, and the text.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut parts = text.split("\n```");
    let mut blocks = Vec::new();
    parts.next();
    while let Some(block) = parts.next() {
        blocks.push(block.split_once('\n').unwrap());
        parts.next();
    }
    blocks
}

#[test]
fn every_command_of_the_tutorial_runs() {
    let text = include_str!("../../docs/tutorial.md");
    let (desk, mut count) = (Desk::new(), 0);
    for (language, block) in blocks(text) {
        match language.split_once(' ') {
            // Blocks of data name their file.
            Some(("csv" | "toml", name)) => desk.write(name, block),
            _ if language == "sh" => {
                for line in block.lines().filter(|line| !line.starts_with('#')) {
                    let line = line.split(" > ").next().unwrap();
                    desk.ok(line.strip_prefix("gp ").unwrap());
                    count += 1;
                }
            }
            _ => {}
        }
    }
    assert!(count >= 8, "{count} commands");
}
