//! Downloads from a local server.
#![expect(clippy::unwrap_used, reason = "a test may break off")]

use gp_experiments::data::{Entry, State, manifest};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;

fn serve(files: Vec<(&'static str, Vec<u8>)>, requests: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/data", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().take(requests) {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let request = lines.next().unwrap().unwrap();
            // Skip the rest of the header.
            for line in lines.by_ref() {
                if line.unwrap().is_empty() {
                    break;
                }
            }
            let path = request.split(' ').nth(1).unwrap().trim_start_matches("/data/").to_owned();
            let body = files.iter().find(|(name, _)| *name == path).map(|(_, bytes)| bytes);
            let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
            let body = body.map_or(&b""[..], Vec::as_slice);
            write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            )
            .unwrap();
            stream.write_all(body).unwrap();
        }
    });
    address
}

fn entry(file: &str, sha256: &str) -> Entry {
    Entry {
        file: file.to_owned(),
        bytes: 3,
        sha256: sha256.to_owned(),
        rows: None,
        source: String::new(),
        address: None,
    }
}

/// SHA-256 of "abc".
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn files_come_whole_and_right_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let files = vec![
        ("sub/right.csv", b"abc".to_vec()),
        ("wrong.csv", b"abd".to_vec()),
        ("long.csv", b"abcd".to_vec()),
    ];
    let server = serve(files, 4);
    let right = entry("sub/right.csv", ABC);
    right.fetch(&right.address_on(Some(&server)).unwrap(), folder.path()).unwrap();
    assert_eq!(right.state(folder.path()).unwrap(), State::Right);
    for (name, what) in [("wrong.csv", "SHA-256"), ("long.csv", "4 bytes instead of 3"), ("none.csv", "404")]
    {
        let address = entry(name, ABC).address_on(Some(&format!("{server}/"))).unwrap();
        let refused = entry(name, ABC).fetch(&address, folder.path()).unwrap_err().to_string();
        assert!(refused.contains(what) && refused.contains(name), "{refused}");
        assert_eq!(entry(name, ABC).state(folder.path()).unwrap(), State::Missing);
    }
}

#[test]
fn a_file_of_no_address_is_to_be_had_by_hand() {
    let published = Entry { address: Some("http://there/a.csv".to_owned()), ..entry("a.csv", ABC) };
    assert_eq!(published.address_on(None).unwrap(), "http://there/a.csv");
    assert_eq!(published.address_on(Some("http://here")).unwrap(), "http://here/a.csv");
    assert_eq!(entry("a.csv", ABC).address_on(None), None);
    let folder = tempfile::tempdir().unwrap();
    let line = ["gp", "experiment", "data", "--data", folder.path().to_str().unwrap(), "binary/crabs"];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let names = gp_cli::Context::built_in();
    let code = gp_experiments::run(&names, line.map(std::ffi::OsString::from), &mut out, &mut err);
    let said = String::from_utf8(out).unwrap();
    assert!(code == 0 && said.starts_with("binary/crabs.csv: has no address; its origin: "), "{said}");
    assert!(said.ends_with("0 files fetched, 0 already present, 1 without an address, 0 failed\n"), "{said}");
}

/// Skipped without a data folder.
#[test]
fn the_list_describes_the_folder() {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("GP_DATA").map_or_else(beside, Into::into);
    if !folder.is_dir() {
        eprintln!("skipped: {} does not exist; GP_DATA names the folder of data sets", folder.display());
        return;
    }
    for entry in manifest().unwrap() {
        assert_eq!(entry.state(&folder).unwrap(), State::Right, "{}", entry.file);
    }
}
