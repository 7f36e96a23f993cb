// The entry of the page at /s/{id}: hands the address with its fragment on, and removes that from the address bar and from its
// history entry as soon as it is held, before anything is drawn or asked of the network. Keeps nothing.
import { mount } from "svelte";
import "./page/all.css";
import { withoutLink } from "./page/address-bar";
import App from "./page/App.svelte";
import { browser } from "./session/browser";
import { openSession } from "./session/session";

// Where this fails the link is still where it came from.
const session = openSession(location.href, browser);
history.replaceState(null, "", withoutLink(location.pathname));

// A link opened in this tab while it shows the same session changes the fragment alone, and loads nothing by itself.
addEventListener("hashchange", () => {
  location.reload();
});

const target = document.getElementById("app");
if (target !== null) mount(App, { target, props: { session } });
