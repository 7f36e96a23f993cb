// Saying whom a message is for, in a chunk of its own: nobody needs it before they address somebody.
export { choiceOf } from "./addressing";
export { default as Choices } from "./Choices.svelte";
export { Picker } from "./picker.svelte";
export { default as Recipients } from "./Recipients.svelte";
export { retype } from "./retype";
