//! How much memory can be had.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of memory that this process can have, where the system tells: those that are free and, in a control group with
/// a limit, no more than are left of that.
pub(crate) fn available() -> Option<f64> {
    available_at(Path::new("/"))
}

/// The same with the system's files below another root.
fn available_at(root: &Path) -> Option<f64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let free = 1024.0 * line.split_whitespace().nth(1)?.parse::<f64>().ok()?;
    Some(limits(root).into_iter().fold(free, f64::min))
}

/// What is left of the limits of this process's control groups and of those around them.
fn limits(root: &Path) -> Vec<f64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let left = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
        let (folder, names) = match controllers {
            "" => ("sys/fs/cgroup", ["memory.max", "memory.current"]),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.usage_in_bytes"])
            }
            _ => return None,
        };
        let top = root.join(folder);
        let own = top.join(group.trim_start_matches('/'));
        Some(
            own.ancestors()
                .take_while(|at| at.starts_with(&top))
                .filter_map(|at| left_in(at, names))
                .collect(),
        )
    };
    groups.lines().filter_map(left).flat_map(|left: Vec<f64>| left).collect()
}

/// What is left in one group; pages of files that were not used lately can be had too.
fn left_in(group: &Path, [limit, usage]: [&str; 2]) -> Option<f64> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<f64>().ok();
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        ["inactive_file", "total_inactive_file"].contains(&name).then(|| value.parse::<f64>().ok())?
    });
    Some((number(limit)? - number(usage)? + cached.unwrap_or(0.0)).max(0.0))
}

/// A folder for temporary files: this one or, before it is there, the closest one above it.
pub(crate) fn folder_near(folder: &Path) -> PathBuf {
    let there = folder.ancestors().find(|at| at.is_dir() && *at != Path::new(""));
    there.unwrap_or(Path::new(".")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    const FREE: (&str, &str) = ("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    2000 kB\n");

    #[test]
    fn without_limits_it_is_what_is_free() {
        assert_eq!(available_at(system(&[FREE]).path()), Some(2_048_000.0));
        let unlimited =
            system(&[FREE, ("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/memory.max", "max\n")]);
        assert_eq!(available_at(unlimited.path()), Some(2_048_000.0));
        assert_eq!(available_at(system(&[]).path()), None);
    }

    #[test]
    fn the_least_that_is_left_of_any_limit_counts() {
        let root = system(&[
            FREE,
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/memory.max", "500000\n"),
            ("sys/fs/cgroup/a/memory.current", "450000\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 20000\nactive_file 9\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.current", "1\n"),
        ]);
        assert_eq!(available_at(root.path()), Some(70_000.0));
        let old = system(&[
            FREE,
            ("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1200\n"),
        ]);
        assert_eq!(available_at(old.path()), Some(0.0));
    }

    #[test]
    fn temporary_files_are_near_a_folder_to_come() {
        let root = system(&[]);
        assert_eq!(folder_near(root.path()), root.path());
        assert_eq!(folder_near(&root.path().join("a/b")), root.path());
        assert_eq!(folder_near(Path::new("not-there")), Path::new("."));
    }
}
