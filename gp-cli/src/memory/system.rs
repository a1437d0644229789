//! Memory left by the system.

use super::over::Limit;
use std::fs;
use std::path::Path;

/// Address space per thread (allocator arena, stack), mostly unused but counted by limits.
const THREAD: f64 = 70e6;
/// Address space per thread for matrix products, in sizes of the largest cache.
const PRODUCTS: f64 = 2.0;
/// Largest cache if unknown.
const CACHE: f64 = 33.5e6;
/// Memory of the program besides code.
const BASE: f64 = 32e6;
/// Allocator's address space for the signal thread.
const LISTENER: f64 = 67e6;
/// Maximum thread share of address-space limits.
const SHARE: f64 = 0.5;

/// Bytes still allocatable, with the limit.
pub(super) fn left() -> Option<(f64, Limit)> {
    left_at(Path::new("/"), rayon::current_num_threads())
}

pub(crate) fn threads() -> Option<usize> {
    let root = Path::new("/");
    let most = most_address_space(root)?;
    Some((((SHARE * most - BASE) / of_thread(root)) as usize).max(1))
}

pub(super) fn resident() -> Option<f64> {
    kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// [`left`] with system files below `root`.
fn left_at(root: &Path, threads: usize) -> Option<(f64, Limit)> {
    let meminfo = fs::read_to_string(root.join("proc/meminfo")).ok();
    let free = meminfo.and_then(|text| kilobytes(&text, "MemAvailable:")).map(|free| (free, Limit::Free));
    let groups = groups(root).into_iter().map(|left| (left, Limit::Group));
    let space = address_space(root, threads);
    free.into_iter().chain(groups).chain(space).min_by(|(one, _), (other, _)| one.total_cmp(other))
}

/// Bytes on a line such as `VmRSS: 120 kB`.
fn kilobytes(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(1024.0 * line.split_whitespace().nth(1)?.parse::<f64>().ok()?)
}

fn most_address_space(root: &Path) -> Option<f64> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let soft = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    soft.split_whitespace().next()?.parse().ok()
}

fn of_thread(root: &Path) -> f64 {
    THREAD + PRODUCTS * largest_cache(root).unwrap_or(CACHE)
}

/// Bytes of the third-level cache, over all processors.
fn largest_cache(root: &Path) -> Option<f64> {
    let processors = root.join("sys/devices/system/cpu");
    let text = |name: &str| fs::read_to_string(processors.join(name)).ok();
    let size = text("cpu0/cache/index3/size")?;
    let kilobytes: f64 = size.trim().strip_suffix('K')?.parse().ok()?;
    let sharing = listed(&text("cpu0/cache/index3/shared_cpu_list")?)?;
    Some(1024.0 * kilobytes * listed(&text("online")?)? / sharing)
}

/// Number of processors in a list such as `0-3,8`.
fn listed(list: &str) -> Option<f64> {
    let of_range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(1.0 + last.parse::<f64>().ok()? - first.parse::<f64>().ok()?)
    };
    list.trim().split(',').map(of_range).sum()
}

/// Without the reserve of computing threads.
fn address_space(root: &Path, threads: usize) -> Option<(f64, Limit)> {
    let most = most_address_space(root)?;
    let status = fs::read_to_string(root.join("proc/self/status")).ok()?;
    let used: f64 = ["VmExe:", "VmLib:", "RssAnon:"].iter().filter_map(|name| kilobytes(&status, name)).sum();
    let reserved = used + BASE + LISTENER + of_thread(root) * threads as f64;
    Some(((most - reserved).max(0.0), Limit::AddressSpace { reserved: reserved as u64, threads }))
}

/// Memory left by control groups, including parents.
fn groups(root: &Path) -> Vec<f64> {
    let listed = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
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
    listed.lines().filter_map(left).flat_map(|left: Vec<f64>| left).collect()
}

/// Reclaimable pages count as free.
fn left_in(group: &Path, [limit, usage]: [&str; 2]) -> Option<f64> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<f64>().ok();
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        ["inactive_file", "total_inactive_file"].contains(&name).then(|| value.parse::<f64>().ok())?
    });
    Some((number(limit)? - number(usage)? + cached.unwrap_or(0.0)).max(0.0))
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
        assert_eq!(left_at(system(&[FREE]).path(), 1), Some((2_048_000.0, Limit::Free)));
        let unlimited =
            system(&[FREE, ("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/memory.max", "max\n")]);
        assert_eq!(left_at(unlimited.path(), 1), Some((2_048_000.0, Limit::Free)));
        assert_eq!(left_at(system(&[]).path(), 1), None);
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
        assert_eq!(left_at(root.path(), 1), Some((70_000.0, Limit::Group)));
        let old = system(&[
            FREE,
            ("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1200\n"),
        ]);
        assert_eq!(left_at(old.path(), 1), Some((0.0, Limit::Group)));
    }

    #[test]
    fn address_space_is_what_the_process_has_not_mapped() {
        let limits =
            "Max data size  unlimited  unlimited  bytes\nMax address space  500000000  unlimited  bytes\n";
        let root = system(&[
            ("proc/meminfo", "MemAvailable: 900000 kB\n"),
            ("proc/self/limits", limits),
            ("proc/self/status", "VmExe:  10000 kB\nRssAnon:\t20000 kB\nVmSize:  90000 kB\n"),
        ]);
        let reserved = 30_720_000.0 + BASE + LISTENER + of_thread(root.path());
        assert_eq!(
            left_at(root.path(), 1),
            Some((5e8 - reserved, Limit::AddressSpace { reserved: reserved as u64, threads: 1 }))
        );
        let unlimited =
            system(&[FREE, ("proc/self/limits", "Max address space  unlimited  unlimited  bytes\n")]);
        assert_eq!(left_at(unlimited.path(), 1), Some((2_048_000.0, Limit::Free)));
    }

    #[test]
    fn threads_reserve_products_by_the_largest_cache() {
        let cache = [
            ("sys/devices/system/cpu/online", "0-3,8\n"),
            ("sys/devices/system/cpu/cpu0/cache/index3/size", "1000K\n"),
            ("sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", "0-1\n"),
        ];
        assert_eq!(largest_cache(system(&cache).path()), Some(1000.0 * 1024.0 * 5.0 / 2.0));
        assert_eq!(largest_cache(system(&cache[..2]).path()), None);
        assert_eq!(of_thread(system(&[]).path()), 137e6);
    }
}
