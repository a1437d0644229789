//! Damaged and foreign checkpoint files.

use super::support::{adam, run_to};
use gp_optim::{
    Adam, CheckpointError, CheckpointFile, Control, Descent, MinimiseOptions, OptimError, Point, minimise,
    minimise_with,
};
use std::convert::Infallible;
use std::fs;

type Stored = Descent<Adam>;

fn written(folder: &tempfile::TempDir) -> (CheckpointFile, Vec<u8>) {
    let file = CheckpointFile::new(folder.path().join("run.checkpoint"), "waves");
    run_to(8, adam(), Some(file.clone())).unwrap();
    let bytes = fs::read(file.path()).unwrap();
    (file, bytes)
}

#[test]
fn every_changed_byte_and_every_cut_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (file, bytes) = written(&folder);
    assert!(file.read::<Stored, Point>().unwrap().is_some());
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            fs::write(file.path(), &damaged).unwrap();
            let error = file.read::<Stored, Point>().unwrap_err();
            match at {
                0..8 => assert!(matches!(error, CheckpointError::NotACheckpoint { .. }), "{error}"),
                8..12 => assert!(matches!(error, CheckpointError::Version { supported: 1, .. }), "{error}"),
                _ => assert!(matches!(error, CheckpointError::Damaged { .. }), "{error}"),
            }
        }
    }
    for length in 0..bytes.len() {
        fs::write(file.path(), &bytes[..length]).unwrap();
        assert!(file.read::<Stored, Point>().is_err(), "{length} of {} bytes", bytes.len());
    }
    let mut longer = bytes.clone();
    longer.push(0);
    fs::write(file.path(), &longer).unwrap();
    assert!(matches!(file.read::<Stored, Point>(), Err(CheckpointError::Damaged { .. })));
}

#[test]
fn a_newer_format_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    let (file, mut bytes) = written(&folder);
    bytes[8] = 7;
    bytes.truncate(15);
    fs::write(file.path(), &bytes).unwrap();
    let error = run_to(9, adam(), Some(file.clone())).unwrap_err();
    let path = file.path().to_path_buf();
    assert_eq!(error, OptimError::Checkpoint(CheckpointError::Version { path, found: 7, supported: 1 }));
    let text = error.to_string();
    assert!(text.ends_with("has format 7, but this program reads format 1"), "{text}");
    // A rejected file is not overwritten.
    assert_eq!(fs::read(file.path()).unwrap(), bytes);
}

#[test]
fn a_file_of_another_run_is_refused_with_both_labels() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = written(&folder);
    let other = CheckpointFile::new(file.path(), "tides");
    let error = run_to(9, adam(), Some(other)).unwrap_err().to_string();
    assert!(error.ends_with("belongs to `waves`, not to `tides`"), "{error}");
}

#[test]
fn a_folder_that_is_not_there_ends_the_run_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile::new(folder.path().join("missing").join("run"), "waves");
    match run_to(9, adam(), Some(file)) {
        Err(OptimError::Checkpoint(CheckpointError::Io { action: "write", path, .. })) => {
            assert!(path.ends_with("missing/run"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn leftovers_of_a_broken_attempt_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let (file, bytes) = written(&folder);
    fs::write(folder.path().join(".gp-unfinished-run.checkpoint"), &bytes[..9]).unwrap();
    let resumed = run_to(20, adam(), Some(file)).unwrap();
    assert_eq!(resumed, run_to(20, adam(), None).unwrap());
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["run.checkpoint"]);
}

#[test]
fn a_point_of_another_size_is_refused_with_both_sizes() {
    let bowl = |x: &[f64], gradient: &mut [f64]| {
        gradient.iter_mut().zip(x).for_each(|(slope, x)| *slope = 4.0 * x.powi(3));
        Ok::<f64, Infallible>(x.iter().map(|x| x.powi(4)).sum())
    };
    let folder = tempfile::tempdir().unwrap();
    let file = CheckpointFile::new(folder.path().join("run.checkpoint"), "bowl");
    let options = |control| MinimiseOptions { max_iterations: 3, control, ..MinimiseOptions::default() };
    let controlled = options(Control::new().with_checkpoint(file.clone()));
    minimise(bowl, &[3.0, -1.0], &controlled).unwrap();
    let error = minimise(bowl, &[3.0, -1.0, 2.0], &controlled).unwrap_err().to_string();
    assert!(
        error.ends_with("does not fit this run: its point has 2 coordinates, the start of this run 3"),
        "{error}"
    );
    let attached = minimise_with(bowl, &[1.0], &options(Control::new()), |run| run.checkpointing(file));
    let error = attached.unwrap_err().to_string();
    assert!(error.contains("its point has 2 coordinates, the start of this run 1"), "{error}");
}
