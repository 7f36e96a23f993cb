//! A company's network: everything goes through a proxy, and the certificates are of a private authority. What the
//! environment would say is said in `config.toml`, since hosts clear it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::scene::{self, CONTEXT, TITLE, assert_said};
use crate::stdio::Machine;
use crate::stdio::caddy::Caddy;
use crate::stdio::plane::{Plane, free_port};

/// A name that only the proxy knows.
const HOST: &str = "plane.test";
/// `ana:hunter2` in Base64, by hand.
const LOGIN: &str = "Basic YW5hOmh1bnRlcjI=";

/// What a proxy does with whoever asks.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Opens,
    WantsLogin,
    Forbids,
    IsNone,
    HangsUp,
}

/// A forward proxy that resolves every name to this machine; it ends with the test.
struct Forward {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Forward {
    async fn start(manner: Manner) -> Self {
        Self::serve(move |client, asked| open(client, manner, asked)).await
    }

    /// The same for SOCKS5, as `ssh -D` makes one.
    async fn start_socks() -> Self {
        Self::serve(open_socks).await
    }

    async fn serve<F, R>(open: F) -> Self
    where
        F: Fn(TcpStream, Arc<Mutex<Vec<String>>>) -> R + Send + 'static,
        R: Future<Output = std::io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let forward = Self {
            port: listener.local_addr().unwrap().port(),
            asked: Arc::default(),
        };
        let asked = forward.asked.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(open(client, asked.clone()));
            }
        });
        forward
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn open(mut client: TcpStream, manner: Manner, asked: Arc<Mutex<Vec<String>>>) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    let head = String::from_utf8(head).unwrap();
    let target = head.split_whitespace().nth(1).unwrap().to_owned();
    asked.lock().unwrap().push(target.clone());
    let answer = match manner {
        Manner::WantsLogin if !head.contains(LOGIN) => {
            "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
        }
        Manner::Forbids => "HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nforbidden",
        Manner::IsNone => "220 mail.example ESMTP ready\r\n\r\n",
        Manner::HangsUp => return Ok(()),
        Manner::Opens | Manner::WantsLogin => "HTTP/1.1 200 Connection established\r\n\r\n",
    };
    client.write_all(answer.as_bytes()).await?;
    if answer.starts_with("HTTP/1.1 200") {
        let port = target.rsplit(':').next().unwrap().parse::<u16>().unwrap();
        let mut there = TcpStream::connect(("127.0.0.1", port)).await?;
        tokio::io::copy_bidirectional(&mut client, &mut there).await?;
    }
    Ok(())
}

async fn open_socks(mut client: TcpStream, asked: Arc<Mutex<Vec<String>>>) -> std::io::Result<()> {
    let mut greeting = [0; 2];
    client.read_exact(&mut greeting).await?;
    let mut methods = vec![0; usize::from(greeting[1])];
    client.read_exact(&mut methods).await?;
    client.write_all(&[5, 0]).await?;
    let mut request = [0; 5];
    client.read_exact(&mut request).await?;
    assert_eq!(request[3], 3, "the proxy resolves the name");
    let mut name = vec![0; usize::from(request[4])];
    client.read_exact(&mut name).await?;
    let port = client.read_u16().await?;
    asked
        .lock()
        .unwrap()
        .push(format!("{}:{port}", String::from_utf8(name).unwrap()));
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    let mut there = TcpStream::connect(("127.0.0.1", port)).await?;
    tokio::io::copy_bidirectional(&mut client, &mut there).await?;
    Ok(())
}

/// A plane that is reached as `https://plane.test` through a proxy alone.
struct Company {
    plane: Plane,
    caddy: Caddy,
    port: u16,
}

impl Company {
    async fn new() -> Option<Self> {
        let port = free_port();
        let plane = Plane::start_behind(&format!("https://{HOST}:{port}")).await;
        let caddy = Caddy::before(plane.port(), HOST, port).await?;
        Some(Self { plane, caddy, port })
    }

    /// A machine whose `config.toml` names the authority, and says this as well.
    fn machine(&self, machine: Machine, more: &str) -> Machine {
        let machine = self.caddy.trusted_by(machine);
        let config = machine.devpilot().join("config.toml");
        let text = std::fs::read_to_string(&config).unwrap();
        std::fs::write(config, format!("{text}{more}\n")).unwrap();
        machine
    }

    fn target(&self) -> String {
        format!("{HOST}:{}", self.port)
    }
}

fn by_config(port: u16) -> String {
    format!("proxy = \"http://ana:hunter2@127.0.0.1:{port}\"")
}

/// Ada shares by the proxy of her `config.toml`; the link.
async fn share(company: &Company, proxy: &Forward) -> (Machine, String) {
    let ada = company.machine(company.plane.owner(), &by_config(proxy.port));
    let ran = ada.run(["share", "--title", TITLE], CONTEXT.as_bytes()).await;
    assert_eq!(ran.code(), 0, "{ran}");
    let link = ada.link();
    assert!(link.starts_with(&format!("https://{HOST}:")), "{link}");
    (ada, link)
}

#[tokio::test]
async fn by_the_proxy_and_the_private_authority_of_config_toml_one_shares_and_joins() {
    let Some(company) = Company::new().await else {
        return;
    };
    let proxy = Forward::start(Manner::WantsLogin).await;
    let (_, link) = share(&company, &proxy).await;
    let ben = company.machine(Machine::new(), &by_config(proxy.port));
    assert_eq!(scene::join(&ben, &link).await.code(), 0);
    scene::post(&ben, "through the proxy").await;
    assert_eq!(
        scene::texts(&scene::read_all(&ben).await),
        [CONTEXT, "through the proxy"]
    );
    let asked = proxy.asked();
    assert!(
        !asked.is_empty() && asked.iter().all(|target| *target == company.target()),
        "{asked:?}"
    );
}

#[tokio::test]
async fn without_the_authority_the_failure_names_its_issuer_and_where_its_certificate_goes() {
    let Some(company) = Company::new().await else {
        return;
    };
    let proxy = Forward::start(Manner::Opens).await;
    let (_, link) = share(&company, &proxy).await;
    let cleo = Machine::new();
    std::fs::create_dir_all(cleo.devpilot()).unwrap();
    let config = cleo.devpilot().join("config.toml");
    std::fs::write(&config, by_config(proxy.port)).unwrap();
    let asked = Instant::now();
    let ran = scene::join(&cleo, &link).await;
    assert!(
        asked.elapsed() < Duration::from_secs(10),
        "it is not tried again and again"
    );
    assert_said(
        &ran,
        &[
            // The root, whose file is to be named: not the intermediate that signed the server's certificate.
            "issued by \"CN=Caddy Local Authority - ",
            "ECC Root\"",
            "certificate_authorities = [",
            "config.toml",
            "Nothing was sent",
        ],
    );
    assert!(!ran.stderr.contains(link.split_once('#').unwrap().1), "{ran}");
    // What it says to do is enough.
    let authority = company.caddy.authority();
    let line = format!(
        "{}\ncertificate_authorities = [\"{}\"]\n",
        by_config(proxy.port),
        authority.display()
    );
    std::fs::write(&config, line).unwrap();
    assert_eq!(scene::join(&cleo, &link).await.code(), 0);
}

#[tokio::test]
async fn a_file_of_authorities_that_is_missing_empty_or_none_is_named() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.devpilot()).unwrap();
    std::fs::write(
        machine.devpilot().join("config.toml"),
        "certificate_authorities = [\"corp.pem\"]\n",
    )
    .unwrap();
    let file = machine.devpilot().join("corp.pem");
    assert_said(
        &machine.run(["read"], b"").await,
        &["corp.pem", "is not there", "config.toml"],
    );
    for text in [
        "",
        "certificate",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    ] {
        std::fs::write(&file, text).unwrap();
        let ran = machine.run(["read"], b"").await;
        assert_said(&ran, &["corp.pem", "holds no whole certificate", "PEM"]);
    }
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert_said(&machine.run(["read"], b"").await, &["corp.pem", "is no file"]);
}

#[tokio::test]
async fn a_proxy_that_fails_is_named_without_its_password_and_soon() {
    let Some(company) = Company::new().await else {
        return;
    };
    let good = Forward::start(Manner::Opens).await;
    let (_, link) = share(&company, &good).await;
    let try_through = async |port: u16, login: &str| {
        let proxy = format!("proxy = \"http://{login}127.0.0.1:{port}\"");
        let machine = company.machine(Machine::new(), &proxy);
        let asked = Instant::now();
        let ran = scene::join(&machine, &link).await;
        assert!(!ran.stderr.contains("hunter3"), "{ran}");
        (ran, asked.elapsed())
    };
    let named = |port: u16| format!("http://127.0.0.1:{port} (`proxy` in config.toml)");
    let login = "ana:hunter3@";

    let nobody = free_port();
    let (ran, took) = try_through(nobody, login).await;
    assert_said(&ran, &[&named(nobody), "can't be reached", "Nothing was lost"]);
    assert!(took < Duration::from_secs(5), "{took:?}");

    let wants = Forward::start(Manner::WantsLogin).await;
    for login in ["", login] {
        let (ran, took) = try_through(wants.port, login).await;
        assert_said(
            &ran,
            &[&named(wants.port), "wants a name and a password", "config.toml"],
        );
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
    // A proxy may let through a little later what it does not now, so these are tried for as long as a call may take: at once.
    let (forbids, is_none, hangs_up) = (
        Forward::start(Manner::Forbids).await,
        Forward::start(Manner::IsNone).await,
        Forward::start(Manner::HangsUp).await,
    );
    let (forbidden, none, hung_up) = tokio::join!(
        try_through(forbids.port, login),
        try_through(is_none.port, login),
        try_through(hangs_up.port, login),
    );
    for (proxy, (ran, _)) in [(&forbids, forbidden), (&is_none, none)] {
        assert_said(
            &ran,
            &[&named(proxy.port), "does not open the way", HOST, "no_proxy"],
        );
    }
    assert_said(&hung_up.0, &[&named(hangs_up.port), HOST]);

    let machine = company.machine(Machine::new(), "proxy = \"gopher://ana:hunter3@p\"");
    let ran = scene::join(&machine, &link).await;
    assert_said(&ran, &["`proxy` in config.toml", "http://HOST:PORT"]);
    assert!(!ran.stderr.contains("hunter3"), "{ran}");
}

#[tokio::test]
async fn config_toml_wins_over_the_environment_and_the_environment_counts_where_it_is_silent() {
    let Some(company) = Company::new().await else {
        return;
    };
    let good = Forward::start(Manner::Opens).await;
    let (_, link) = share(&company, &good).await;
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let here = format!("http://127.0.0.1:{}", good.port);
    let socks = Forward::start_socks().await;
    let over_socks = format!("socks5h://127.0.0.1:{}", socks.port);

    let both = company
        .machine(Machine::new(), &by_config(good.port))
        .with("HTTPS_PROXY", &nobody);
    assert_eq!(scene::join(&both, &link).await.code(), 0, "config.toml wins");
    for (name, proxy) in [
        ("HTTPS_PROXY", &here),
        ("https_proxy", &here),
        ("ALL_PROXY", &over_socks),
    ] {
        let machine = company.machine(Machine::new(), "").with(name, proxy);
        let ran = scene::join(&machine, &link).await;
        assert_eq!(ran.code(), 0, "{name}: {ran}");
    }
    assert!(socks.asked().contains(&company.target()), "SOCKS was used");
    let machine = company.machine(Machine::new(), "").with("HTTPS_PROXY", &nobody);
    assert_said(&scene::join(&machine, &link).await, &[&nobody, "(HTTPS_PROXY)"]);
}

#[tokio::test]
async fn a_plane_on_this_machine_is_never_asked_through_a_proxy() {
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let proxied = |machine: Machine| {
        ["HTTPS_PROXY", "HTTP_PROXY", "http_proxy", "ALL_PROXY"]
            .iter()
            .fold(machine, |machine, name| machine.with(name, &nobody))
    };
    let port = free_port();
    let plane = Plane::start_behind(&format!("https://localhost:{port}")).await;
    let Some(caddy) = Caddy::before(plane.port(), "localhost", port).await else {
        return;
    };
    let ada = proxied(caddy.trusted_by(plane.owner()));
    let ran = ada.run(["share", "--title", TITLE], CONTEXT.as_bytes()).await;
    assert_eq!(ran.code(), 0, "https: {ran}");
    let plane = Plane::start(crate::stdio::plane::Store::Sqlite).await;
    let ada = proxied(plane.owner());
    let ran = ada.run(["share", "--title", TITLE], CONTEXT.as_bytes()).await;
    assert_eq!(ran.code(), 0, "http: {ran}");
}
