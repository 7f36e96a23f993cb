//! Cutting text at a limit.

/// The longest start of `text` that has at most `most` bytes, cut between characters.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// The first line that holds more than blanks, without those around it, cut.
pub(crate) fn first_line(text: &str, most: usize) -> &str {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    cut(line.unwrap_or_default(), most).trim_end()
}

#[cfg(test)]
mod tests {
    use super::{cut, first_line};

    #[test]
    fn a_character_is_never_cut() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 3), "aé");
        assert_eq!(cut("é", 1), "");
    }

    #[test]
    fn a_title_is_the_first_line_with_something_in_it() {
        assert_eq!(first_line("\n  \n  Fix the login \nmore", 100), "Fix the login");
        assert_eq!(first_line("Fix the login", 5), "Fix t");
        assert_eq!(first_line("", 5), "");
    }
}
