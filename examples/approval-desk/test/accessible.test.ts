import { describe, expect, test } from "vitest";
import { accessibilityProblems } from "../../../test/e2e/support/axe.ts";
import { targetsTooSmall } from "../../../test/e2e/support/target-size.ts";
import { hasChromium, openTab, type DeskPage } from "./desk-page.ts";
import { shareDesk } from "./shared-desk.ts";

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
const THEMES = ["light", "dark"] as const;
/** What is pressed with a thumb must be this large, px. */
const THUMB = 44;

const { browser, desk } = shareDesk();

/** What is wrong with the page as it is: rules of axe, small targets, and a page that is wider than the window. */
async function problemsOf({ page }: DeskPage): Promise<readonly string[]> {
  const [wide, inner] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
    number,
    number,
  ];
  return [
    ...(await accessibilityProblems(page)),
    ...(await targetsTooSmall(page)),
    ...(wide > inner ? [`The page is ${wide} px wide in a window of ${inner} px.`] : []),
  ];
}

describe.skipIf(!hasChromium)("The page of the desk", () => {
  test.for([
    ["en-GB", "Order 1001 arrived broken, refund it.", "Approve"],
    ["zh-CN", "订单 1002 的椅子有划痕，请退款。", "批准"],
  ] as const)(
    "has no axe violations in %s, at three sizes in both themes",
    async ([locale, text, approve], context) => {
      const { link } = await desk(context);
      const tab = await openTab(browser(), link, { locale });
      const { page } = tab;
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme });
        expect(await problemsOf(tab), colorScheme).toEqual([]);
      }
      await tab.write(text);
      await tab.button(approve).waitFor();
      for (const call of await page.locator(".conversation summary").all()) await call.click();
      await page.locator(".subagent .call").nth(1).waitFor();
      for (const size of SIZES) {
        await page.setViewportSize(size);
        for (const colorScheme of THEMES) {
          await page.emulateMedia({ colorScheme });
          expect(await problemsOf(tab), `${size.width} ${colorScheme}`).toEqual([]);
        }
      }
    },
  );

  test("is used with a thumb on a phone: list, new case, decision, and back", async (context) => {
    const { link } = await desk(context);
    const tab = await openTab(browser(), link, { viewport: SIZES[2]!, hasTouch: true, isMobile: true });
    const { page } = tab;
    expect(await problemsOf(tab)).toEqual([]);
    await page.getByRole("link", { name: "New case" }).tap();
    expect(await problemsOf(tab)).toEqual([]);
    await tab.write("Refund €3 for order 1002");
    await tab.button("Approve").waitFor();
    const main = [tab.button("Approve"), tab.button(/^Deny/u), tab.button(/^Change/u), tab.button("Stop")];
    for (const control of [...main, page.getByRole("link", { name: "Cases" })]) {
      const { height = 0, width = 0 } = (await control.boundingBox()) ?? {};
      expect(Math.min(height, width)).toBeGreaterThanOrEqual(THUMB);
    }
    await tab.button(/^Deny/u).tap();
    expect(await problemsOf(tab)).toEqual([]);
    await tab.button("Back").tap();
    await page.locator(".details summary").first().tap();
    expect(await problemsOf(tab)).toEqual([]);
    await page.locator(".details summary").first().tap();
    await tab.button("Approve").tap();
    await tab.said("€3.00 for order 1002 is on its way back to you.").waitFor();
    await page.getByRole("link", { name: "Cases" }).tap();
    await page.getByRole("link", { name: "Refund €3 for order 1002" }).waitFor();
  });

  test("is used with the keyboard alone, and says what happens", async (context) => {
    const { link } = await desk(context);
    const tab = await openTab(browser(), link);
    const { page } = tab;
    const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent.trim()");
    const tabTo = async (text: RegExp): Promise<void> => {
      for (let presses = 0; presses < 60 && !text.test(await focused()); presses++)
        await page.keyboard.press("Tab");
      expect(await focused()).toMatch(text);
    };
    await tabTo(/^Skip to the case$/u);
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("What does the customer write?");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Refund €4 for order 1002");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Refund €4 for order 1002"); // the heading of the case
    await expect.poll(() => tab.announced.innerText()).toBe("It waits for you: Refund €4.00 for order 1002?");
    await tabTo(/^Deny …$/u);
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("A colleague decided against it."); // the reason
    await tabTo(/^Deny$/u);
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Refund €4 for order 1002");
    await expect
      .poll(() => tab.announced.innerText())
      .toMatch(/^The clerk has answered: The refund was not made/u);
  });
});
