import DefaultTheme from "vitepress/theme-without-fonts";
import type { Theme } from "vitepress";
import { defineComponent, h, nextTick, onBeforeUnmount, onMounted, ref, watch, type VNode } from "vue";
import { useRoute, withBase } from "vitepress";
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

/** The heading of a group in the contents is a button, and VitePress puts another one into it, which does the same: nothing may stand
 *  inside of a button that takes the focus. */
function mendContents(): void {
  for (const caret of document.querySelectorAll('.VPSidebarItem .item[role="button"] > .caret')) {
    caret.removeAttribute("role");
    caret.removeAttribute("tabindex");
    caret.removeAttribute("aria-label");
    caret.setAttribute("aria-hidden", "true");
  }
}

/** The page of an address that has none. VitePress puts its own outside of any landmark. */
const notFound = (): VNode =>
  h("main", { class: "first" }, [
    h("h1", "There is no such page"),
    h("p", { class: "ways" }, [h("a", { href: withBase("/guide/") }, "The guide lists all of them")]),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, undefined, { "not-found": notFound }),
  setup() {
    const route = useRoute();
    onMounted(mendContents);
    watch(
      () => route.path,
      () => void nextTick(mendContents),
    );
  },
  enhanceApp: ({ app }) => void app.component("AgentDemo", AgentDemo),
} satisfies Theme;
