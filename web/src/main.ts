// The entry of the page at /s/{id}: reads the address with its fragment, removes that from the address bar and from its
// history entry before anything else happens, hands it on, and keeps nothing.
import { mount } from "svelte";
import "./page/all.css";
import { withoutLink } from "./page/address-bar";
import App from "./page/App.svelte";
import { browser } from "./session/browser";
import { openSession } from "./session/session";

const address = location.href;
history.replaceState(null, "", withoutLink(location.pathname));

// A link opened in this tab while it shows the same session changes the fragment alone, and loads nothing by itself.
addEventListener("hashchange", () => {
  location.reload();
});

const target = document.getElementById("app");
if (target !== null) mount(App, { target, props: { session: openSession(address, browser) } });
