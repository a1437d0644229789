//! Banana data: two classes, two inputs.

use super::normal::normal;
use super::part::in_units;
use super::{Part, Split, Splits, Store, Task};
use crate::error::ExperimentError;
use faer::Mat;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const TABLE: &str = "binary/banana.csv";
const TRAINING: &str = "splits/banana_train400_rows.csv.gz";

/// File names: table and training rows.
pub const BANANA: [&str; 2] = [TABLE, TRAINING];

/// 400 training and 4,900 test rows.
///
/// # Errors
/// Missing or invalid files.
pub fn banana(store: &Store) -> Result<Split, ExperimentError> {
    let (training, test) = match store {
        Store::Synthetic => (drawn(60, 1), drawn(40, 2)),
        Store::Folder(_) => {
            let all = store.table(TABLE, 1)?;
            // The file's `test_row` column lists the training rows.
            let splits = Splits::TestRows { file: TRAINING, count: 1 };
            let (test, training) = splits.rows(store, 0, all.len())?;
            (all.rows(&training), all.rows(&test))
        }
    };
    Ok(in_units(training, test, Task::Binary))
}

fn drawn(count: usize, seed: u64) -> Part {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let inputs = Mat::from_fn(count, 2, |i, d| {
        let angle = std::f64::consts::PI * i as f64 / count as f64;
        let arc = if d == 0 { angle.cos() + 0.5 * sign(i) } else { sign(i) * (angle.sin() - 0.3) };
        arc + 0.15 * normal(&mut rng)
    });
    Part { inputs, targets: Mat::from_fn(count, 1, |i, _| sign(i)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_rows_are_for_training() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("binary")).unwrap();
        std::fs::create_dir(folder.path().join("splits")).unwrap();
        let table = "x1,x2,class\n0,0,1\n1,2,-1\n2,4,1\n3,6,-1\n";
        std::fs::write(folder.path().join(TABLE), table).unwrap();
        let file = std::fs::File::create(folder.path().join(TRAINING)).unwrap();
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, b"split,train_row\n0,1\n0,2\n0,3\n").unwrap();
        packed.finish().unwrap();
        let split = banana(&Store::folder(folder.path())).unwrap();
        assert_eq!(split.training.labels(), [-1.0, 1.0, -1.0]);
        assert_eq!(split.test.labels(), [1.0]);
        assert!((split.test.inputs[(0, 0)] + 1.5f64.sqrt() * 2.0).abs() < 1e-12);
    }
}
