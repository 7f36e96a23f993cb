use super::*;

fn store(data: &Path) -> StoreSettings {
    StoreSettings {
        data: Some(data.to_owned()),
        ..StoreSettings::default()
    }
}

fn serve(listen: &str) -> ServeSettings {
    let listen = ListenSettings {
        listen: Some(listen.parse().unwrap()),
    };
    ServeSettings {
        listen,
        ..ServeSettings::default()
    }
}

#[test]
fn the_embedded_database_listens_on_this_machine_alone() {
    let folder = tempfile::tempdir().unwrap();
    for inside in ["127.0.0.1:1", "127.3.2.1:1", "[::1]:1"] {
        assert!(
            Config::of(&store(folder.path()), &serve(inside), false).is_ok(),
            "{inside}"
        );
    }
    for outside in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1"] {
        let refused = Config::of(&store(folder.path()), &serve(outside), false).unwrap_err();
        assert!(
            matches!(refused, ConfigError::EmbeddedInPublic { .. }),
            "{outside}"
        );
        let hosted = StoreSettings {
            database_url: Some("postgres://h/d".to_owned().into()),
            ..StoreSettings::default()
        };
        assert!(Config::of(&hosted, &serve(outside), false).is_ok());
    }
}

#[test]
fn links_are_https_or_local() {
    for good in [
        "https://plane.example.org",
        "HTTPS://Plane.example.org:8443/",
        "http://127.0.0.1:8787",
        "http://[::1]:1",
    ] {
        assert!(good.parse::<PublicUrl>().is_ok(), "{good}");
    }
    assert_eq!(
        "https://A.example/".parse::<PublicUrl>().unwrap().to_string(),
        "https://a.example"
    );
    assert_eq!(
        "http://plane.example.org".parse::<PublicUrl>(),
        Err(BadPublicUrl::Insecure)
    );
    assert_eq!(
        "http://127.0.0.2".parse::<PublicUrl>(),
        Err(BadPublicUrl::Insecure)
    );
    for bad in [
        "",
        "plane.example.org",
        "https://",
        "https://a/b",
        "https://u@a",
        "https://a:0",
        "https://a:x",
        "https://a?x",
        "ftp://a",
        "https://a:99999",
        "https://[::g]",
    ] {
        assert!(bad.parse::<PublicUrl>().is_err(), "{bad}");
    }
}

fn file(folder: &Path, text: &str) -> StoreSettings {
    let path = folder.join("plane.toml");
    std::fs::write(&path, text).unwrap();
    StoreSettings {
        config: Some(path),
        ..StoreSettings::default()
    }
}

#[test]
fn flags_win_over_the_file_and_the_file_over_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let said = file(
        folder.path(),
        "data = \"/from/file\"\nlisten = \"127.0.0.1:1111\"\nlog_level = \"warn\"\ntrusted_proxies = [\"10.0.0.0/8\"]\n",
    );
    let store = said.clone().with_file().unwrap();
    let from_file = ServeSettings::default().with_file(&said).unwrap();
    let config = Config::of(&store, &from_file, false).unwrap();
    assert_eq!(config.listen.port(), 1111);
    assert_eq!(config.log_level, LogLevel::Warn);
    assert_eq!(config.log_format, LogFormat::Json);
    assert_eq!(
        config.trusted_proxies,
        TrustedProxies::parse(["10.0.0.0/8"]).unwrap()
    );
    let flagged = serve("127.0.0.1:2222").with_file(&said).unwrap();
    assert_eq!(Config::of(&store, &flagged, true).unwrap().listen.port(), 2222);
}

#[test]
fn a_file_with_unknown_names_or_wrong_values_is_refused_without_repeating_it() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "lisen = \"127.0.0.1:1\"",
        "listen = 5",
        "database_url = s3cret",
        "listen = \"nowhere\"",
        "= s3cret",
    ] {
        let said = file(folder.path(), text);
        let refused = ServeSettings::default()
            .with_file(&said)
            .and_then(|serve| Config::of(&said.clone().with_file()?, &serve, false))
            .unwrap_err()
            .to_string();
        assert!(!refused.contains("s3cret"), "{refused}");
    }
}

#[test]
fn a_limits_file_is_strict_and_named_in_its_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("limits.json");
    std::fs::write(&path, "{\"append_burst\": 0}").unwrap();
    let serve = ServeSettings {
        limits: Some(path.clone()),
        ..serve("127.0.0.1:1")
    };
    let refused = Config::of(&store(folder.path()), &serve, false)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("limits.json") && refused.contains("append_burst"),
        "{refused}"
    );
    std::fs::write(&path, "{\"append_burst\": 7}").unwrap();
    assert_eq!(
        Config::of(&store(folder.path()), &serve, false)
            .unwrap()
            .limits
            .append_burst,
        7
    );
}

#[test]
fn what_is_shown_and_debugged_has_no_password() {
    let hosted = StoreSettings {
        database_url: Some("postgres://ada:s3cret@db/plane".to_owned().into()),
        ..StoreSettings::default()
    };
    let config = Config::of(&hosted, &serve("0.0.0.0:1"), false).unwrap();
    let shown = serde_json::to_string(&Shown::from(&config)).unwrap();
    for text in [shown, format!("{config:?}"), format!("{hosted:?}")] {
        assert!(!text.contains("s3cret"), "{text}");
    }
}
