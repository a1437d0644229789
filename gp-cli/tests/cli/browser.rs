//! Report in an installed browser: no console messages; light and dark.

use crate::support::{Desk, circle};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

fn browser() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let found = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    found.into_iter().find(|path| path.is_file())
}

fn open(browser: &Path, desk: &Desk, page: &str, flags: &[&str]) -> Output {
    let profile = format!("--user-data-dir={}", desk.path("profile").display());
    let common = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", &profile];
    let address = format!("file://{}", desk.path(page).display());
    let mut command = Command::new(browser);
    command
        .args(common)
        .args(["--virtual-time-budget=1000", "--window-size=900,600"])
        .args(flags)
        .arg(address);
    command.current_dir(desk.folder()).output().unwrap()
}

fn messages(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().filter(|line| line.contains(":CONSOLE:")).map(str::to_owned).collect()
}

/// Upper left corner's colour.
fn ground(desk: &Desk, picture: &str) -> [u8; 3] {
    let file = std::fs::File::open(desk.path(picture)).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    [pixels[0], pixels[1], pixels[2]]
}

/// Reports skipping past captured output; under nextest, `.config/nextest.toml` does.
fn skipped() {
    let names = NAMES.join(", ");
    let told = format!("skipped: reports_open_in_a_browser, because none of {names} is on the path\n");
    std::io::stderr().write_all(told.as_bytes()).unwrap();
}

#[test]
fn reports_open_in_a_browser() {
    let Some(browser) = browser() else { return skipped() };
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    desk.ok("fit t.csv --target y --inducing 8 --iterations 5");
    desk.ok("report model.gp --test t.csv -o page.html");
    let opened = open(&browser, &desk, "page.html", &["--dump-dom"]);
    let dom = String::from_utf8_lossy(&opened.stdout);
    assert!(messages(&opened).is_empty(), "{:?}", messages(&opened));
    assert!(dom.contains("<nav") && dom.contains("<table") && dom.contains("<svg"), "{dom}");
    for (scheme, expected) in [(1, [255, 255, 255]), (0, [20, 24, 29])] {
        let flag = format!("--blink-settings=preferredColorScheme={scheme}");
        let said = open(&browser, &desk, "page.html", &[&flag, "--screenshot=page.png"]);
        assert_eq!(ground(&desk, "page.png"), expected, "{}", String::from_utf8_lossy(&said.stderr));
    }
    // A page with a fault produces a message.
    desk.write("wrong.html", "<script>missing();</script>");
    assert_eq!(messages(&open(&browser, &desk, "wrong.html", &["--dump-dom"])).len(), 1);
}
