import DefaultTheme from "vitepress/theme-without-fonts";
import type { Theme } from "vitepress";
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from "vue";
import { withBase } from "vitepress";
// oxlint-disable-next-line import/no-unassigned-import -- a style has no name
import "./style.css";

type Demo = { mount(element: HTMLElement): () => void };

/** The agent of the first page. It is bundled apart, since it is made of the sources of the package. */
const AgentDemo = defineComponent(() => {
  const element = ref<HTMLElement>();
  let unmount = (): void => {};
  onMounted(async () => {
    const { mount } = (await import(/* @vite-ignore */ withBase("/demo/page.js"))) as Demo;
    if (element.value) unmount = mount(element.value);
  });
  onBeforeUnmount(() => unmount());
  return () =>
    h("div", { ref: element, class: "agent-demo", "aria-label": "An agent in this page", role: "region" });
});

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component("AgentDemo", AgentDemo),
} satisfies Theme;
