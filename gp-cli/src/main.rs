//! The `gp` command.

fn main() {}
