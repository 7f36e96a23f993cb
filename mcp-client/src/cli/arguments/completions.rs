//! `completions`.

use clap::Args;
use clap_complete::Shell;

/// What it prints, and where each shell looks for it. A line is one command.
pub(super) const ABOUT: &str = "\
Print what completes commands and options in your shell.

Put it where your shell looks:

  bash: mkdir -p ~/.local/share/bash-completion/completions; devpilot-session completions bash > \
~/.local/share/bash-completion/completions/devpilot-session

  zsh, with fpath+=(~/.zfunc) in ~/.zshrc before compinit: mkdir -p ~/.zfunc; devpilot-session completions zsh > \
~/.zfunc/_devpilot-session

  fish: mkdir -p ~/.config/fish/completions; devpilot-session completions fish > \
~/.config/fish/completions/devpilot-session.fish

  PowerShell: mkdir -Force (Split-Path $PROFILE); devpilot-session completions powershell >> $PROFILE

  elvish: mkdir -p ~/.config/elvish; devpilot-session completions elvish >> ~/.config/elvish/rc.elv";

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}
