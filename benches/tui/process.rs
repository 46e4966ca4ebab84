//! What a process has used so far.

use std::fs;
use std::time::{Duration, Instant};

use crate::Fallible;
use crate::window::Window;

/// In which Linux tells times to every process, in a second.
const TICKS: f64 = 100.0;

pub(crate) struct Process(u32);

impl Process {
    pub(crate) fn new(id: u32) -> Self {
        Self(id)
    }

    /// `CPU | wake-ups a second` while its terminal is read for so long.
    pub(crate) fn observe(&self, window: &mut Window, time: Duration) -> Fallible<String> {
        let (cpu, wakes) = (self.cpu()?, self.wakes()?);
        let begun = Instant::now();
        window.drain(time)?;
        let seconds = begun.elapsed().as_secs_f64();
        let cpu = self.cpu()?.saturating_sub(cpu).as_secs_f64() / seconds;
        let wakes = self.wakes()?.saturating_sub(wakes);
        Ok(format!("{:.2} % of a core | {:.1}", cpu * 100.0, f64::from(wakes) / seconds))
    }

    /// Of all its threads, those too that have ended.
    fn cpu(&self) -> Fallible<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0))?;
        // What stands in brackets may hold anything; `utime` is the twelfth word after it.
        let (_, rest) = stat.rsplit_once(") ").ok_or("no name")?;
        let ticks: Result<Vec<u32>, _> = rest.split(' ').skip(11).take(2).map(str::parse).collect();
        let ticks: u32 = ticks?.into_iter().sum();
        Ok(Duration::from_secs_f64(f64::from(ticks) / TICKS))
    }

    /// How often its threads have gone to sleep: each time something has woken them before.
    fn wakes(&self) -> Fallible<u32> {
        let mut wakes = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.0))? {
            let status = fs::read_to_string(thread?.path().join("status"))?;
            let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            wakes += line.ok_or("no switches")?.trim().parse::<u32>()?;
        }
        Ok(wakes)
    }
}
