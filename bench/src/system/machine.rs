//! Which machine it was.

use std::fs;
use std::process::Command;

/// The machine in one line: processor, cores, memory, kernel, load.
pub(crate) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let processor = value("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = value("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
        .map_or(0, |kib| kib.div_ceil(1_048_576));
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{cores} cores of {processor}, {memory} GiB, Linux {kernel}")
}

/// The load average of the last minute.
pub(crate) fn load() -> String {
    read("/proc/loadavg")
        .split(' ')
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The first line of what a command prints.
pub(crate) fn first_line(program: &str, arguments: &[&str]) -> String {
    Command::new(program)
        .args(arguments)
        .output()
        .ok()
        .and_then(|output| Some(String::from_utf8(output.stdout).ok()?.lines().next()?.to_owned()))
        .unwrap_or_else(|| format!("{program}: unknown"))
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

fn value(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
