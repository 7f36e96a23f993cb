//! `export`: to standard output, or to a file that appears whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Setting;
use crate::cli::arguments::{Export, FormatArgument};
use crate::cli::interrupted;
use crate::cli::output::{self, Form};
use crate::cli::progress;
use crate::verbs::export::{ExportArgs, Format, Sink};
use crate::verbs::{self, Failure, code};

/// The bar moves once in so many records.
const STRIDE: u64 = 100;

/// The file that is none: standard output.
const STANDARD_OUTPUT: &str = "-";

pub(super) async fn export(setting: Setting<'_>, mut export: Export) -> Result<u8, Failure> {
    export.output = export.output.filter(|path| path != Path::new(STANDARD_OUTPUT));
    let arguments = ExportArgs {
        since: export.since,
        format: format(&export, setting.output.form()),
        session: setting.common.session.as_deref(),
    };
    let Some(path) = export.output else {
        let mut sink = StandardOutput { gone: false };
        let exporting = verbs::export::run(setting.app, arguments, setting.host, &mut sink);
        let delivered = interrupted::or_cancelled(setting.host.token(), exporting).await?;
        output::clear_status();
        if delivered.answer.integrity.state != "ok" {
            output::say(&delivered.answer.integrity.detail);
        }
        for warning in &delivered.answer.warnings {
            output::say(warning);
        }
        return Ok(0);
    };
    let exporting = async {
        // Dropped with this, it is gone.
        let mut sink = NewFile::beside(path, export.force)?;
        let mut delivered = verbs::export::run(setting.app, arguments, setting.host, &mut sink).await?;
        delivered.answer.file = Some(sink.keep()?);
        Ok(delivered)
    };
    let delivered = interrupted::or_ended(setting.host.token(), exporting).await?;
    setting.deliver(delivered).await
}

fn format(export: &Export, form: Form) -> Format {
    let by_name = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    match export.format {
        Some(FormatArgument::Md) => Format::Md,
        Some(FormatArgument::Json) => Format::Json,
        None if export.output.as_ref().is_some_and(by_name) => Format::Json,
        None if export.output.is_none() && form == Form::Json => Format::Json,
        None => Format::Md,
    }
}

/// Standard output. A reader that has gone is no error.
struct StandardOutput {
    gone: bool,
}

impl Sink for StandardOutput {
    fn begin(&mut self, _records: u64) {
        output::clear_status();
    }

    fn put(&mut self, piece: &str) -> io::Result<()> {
        if !self.gone {
            self.gone = !output::piece(piece)?;
        }
        Ok(())
    }

    fn advance(&mut self) {}
}

/// A file that nobody but its owner reads, and that takes its name when it is whole.
struct NewFile {
    /// As it was named.
    path: PathBuf,
    /// Where it will be: the end of a link, so that the link stays.
    target: PathBuf,
    force: bool,
    file: NamedTempFile,
    /// How many records there are, and how many of them are written.
    records: u64,
    written: u64,
}

impl NewFile {
    /// Refuses a name that is taken before anything is read. A device, a pipe or a folder is never replaced by a file.
    fn beside(path: PathBuf, force: bool) -> Result<Self, Failure> {
        if path.is_dir() {
            return Err(is_folder(&path));
        }
        let mut target = path.clone();
        if path.symlink_metadata().is_ok() {
            if !path.metadata().is_ok_and(|found| found.is_file()) {
                return Err(no_file(&path));
            }
            if !force {
                return Err(taken(&path));
            }
            target = path.canonicalize().map_err(|error| unwritable(&path, &error))?;
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.exists()) {
            return Err(no_folder(&path, folder));
        }
        let file = tempfile::Builder::new()
            .prefix(".devpilot-export-")
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(|error| unwritable(&path, &error))?;
        Ok(Self {
            path,
            target,
            force,
            file,
            records: 0,
            written: 0,
        })
    }

    /// Gives it its name; never that of another file unless that was asked for. Answers where it is.
    fn keep(self) -> Result<String, Failure> {
        output::clear_status();
        let Self {
            path,
            target,
            force,
            file,
            ..
        } = self;
        let file = file.into_temp_path();
        std::fs::File::open(&file)
            .and_then(|file| file.sync_all())
            .map_err(|error| unwritable(&path, &error))?;
        let kept = match force {
            true => file.persist(&target),
            false => file.persist_noclobber(&target),
        };
        match kept {
            Ok(()) => Ok(path.display().to_string()),
            Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => Err(taken(&path)),
            Err(failed) => Err(unwritable(&path, &failed.error)),
        }
    }
}

impl Sink for NewFile {
    fn begin(&mut self, records: u64) {
        output::clear_status();
        self.records = records;
    }

    fn put(&mut self, piece: &str) -> io::Result<()> {
        self.file.write_all(piece.as_bytes())
    }

    fn advance(&mut self) {
        self.written += 1;
        if self.written.is_multiple_of(STRIDE) {
            progress::show("Exporting the transcript", self.written, self.records);
        }
    }
}

fn is_folder(path: &Path) -> Failure {
    Failure::new(
        code::LOCAL_FILE,
        format!(
            "{} is a folder. Name the file to write in it, such as {}.",
            path.display(),
            path.join("transcript.md").display()
        ),
    )
}

fn no_folder(path: &Path, folder: &Path) -> Failure {
    Failure::new(
        code::LOCAL_FILE,
        format!(
            "There is no folder {}, so {} can't be written. Nothing was exported; make the folder first, or name a file in \
             another.",
            folder.display(),
            path.display()
        ),
    )
}

fn taken(path: &Path) -> Failure {
    Failure::new(
        code::LOCAL_FILE,
        format!(
            "There is a {} already, and it was left alone. Choose another name, or add --force to replace it.",
            path.display()
        ),
    )
}

fn no_file(path: &Path) -> Failure {
    Failure::new(
        code::LOCAL_FILE,
        format!(
            "{} is no regular file, and it was left alone. Choose the name of a file, or -o - for standard output.",
            path.display()
        ),
    )
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    // The error's own text may name the file under which it was begun.
    let kind = error.kind();
    Failure::new(
        code::LOCAL_FILE,
        format!(
            "{} can't be written ({kind}). Nothing was exported.",
            path.display()
        ),
    )
}
