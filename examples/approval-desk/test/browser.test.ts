import { describe, expect, test } from "vitest";
import { hasChromium, openTab } from "./desk-page.ts";
import { shareDesk } from "./shared-desk.ts";

const DAMAGED = "Order 1001 arrived broken, I want my money back.";

/** True if the page has loaded the typeface that the inspector has too, and writes in it. */
const SHOWS_INTER = `getComputedStyle(document.body).fontFamily.startsWith('"Inter Variable"') &&
  [...document.fonts].some(({ family, status }) => family.includes("Inter Variable") && status === "loaded")`;

const { browser, desk } = shareDesk();

describe.skipIf(!hasChromium)("On the page of the desk", () => {
  test("a damage is investigated and a refund approved, in one of two tabs; both show the same", async (context) => {
    const { link, url } = await desk(context);
    const tab = await openTab(browser(), link);
    expect(tab.page.url()).toBe(`${url}/`);
    await expect.poll(() => tab.page.evaluate<boolean>(SHOWS_INTER)).toBe(true);
    await tab.write(DAMAGED);
    await tab.button("Approve").waitFor();
    await expect.poll(() => tab.page.title()).toBe("(1) Refunds desk");
    await expect.poll(() => tab.announced.innerText()).toContain("Refund €49.00 for order 1001?");
    const steps = tab.page.locator(".plan li");
    await expect
      .poll(() => steps.evaluateAll((all) => all.map((each) => each.dataset["state"])))
      .toEqual(["done", "done", "in_progress"]);

    await tab.page.locator("summary").filter({ hasText: "Have the delivery checked" }).click();
    const work = tab.page.getByRole("region", { name: "What the investigator does" });
    await work.getByText("Track the parcel").waitFor();
    await work.getByText("The parcel was delivered on 12 November 2026.").waitFor();

    const other = await openTab(browser(), link);
    await other.page.getByRole("link", { name: DAMAGED }).click();
    await other.button("Approve").waitFor();
    await tab.button("Approve").click();
    expect(await tab.page.evaluate("document.activeElement.tagName")).toBe("H2");
    await tab.page.locator("summary").filter({ hasText: "Have the delivery checked" }).click();
    for (const each of [tab, other]) {
      await each.said("€49.00 for order 1001 is on its way back to you.").waitFor();
      await each.status.getByText("Answered").waitFor();
      expect(await each.page.locator(".card").count()).toBe(0);
      expect(await each.page.locator(".plan").innerText()).toContain("3 of 3 steps done");
    }
    const texts = [tab, other].map(({ page }) => page.locator(".conversation").innerText());
    expect(await texts[0]).toBe(await texts[1]);
    await expect.poll(() => tab.announced.innerText()).toContain("The clerk has answered: €49.00");
    expect(await tab.page.locator(".usage").innerText()).toMatch(/Tokens read\s+\d.*Cost\s+US\$0\.00\d+/s);
  });

  test("a refund is denied with a reason, and what customers write is shown as text", async (context) => {
    const { link } = await desk(context);
    const tab = await openTab(browser(), link);
    const evil = 'Refund order 1003 <img src=x onerror="document.title=1"><script>document.title=2</script>';
    await tab.write(evil);
    await tab.button(/^Deny/u).click();
    await tab.page.getByLabel("Why not?").fill("It is <b>on its way</b>.");
    await tab.button("Deny").click();
    await tab.said("It is <b>on its way</b>.").waitFor();
    await tab.status.getByText("Answered").waitFor();
    expect(await tab.page.locator(".message[data-role=user]").innerText()).toContain(evil);
    expect(await tab.page.locator("main img, main script, main b").count()).toBe(0);
  });

  test("the amount is changed before it is paid; one that is none is refused", async (context) => {
    const { link } = await desk(context);
    const tab = await openTab(browser(), link);
    await tab.write("Refund order 1004");
    await tab.button(/^Change/u).click();
    const amount = tab.page.getByLabel("Amount (EUR)");
    expect(await amount.inputValue()).toBe("89.25");
    await amount.fill("nothing");
    await tab.button("Approve with these values").click();
    await tab.page.getByRole("alert").getByText("Amount is not valid.").waitFor();
    await amount.fill("12,5");
    await tab.button("Approve with these values").click();
    await tab.said("€12.50 for order 1004 is on its way back to you.").waitFor();
  });

  test("a question is answered after a reload, in Chinese", async (context) => {
    const { link } = await desk(context);
    const tab = await openTab(browser(), link, { locale: "zh-CN" });
    await tab.write("我要退款，但是找不到订单号。");
    await tab.page.getByRole("heading", { name: "是哪一个订单？" }).waitFor();
    await tab.page.reload();
    expect(await tab.page.evaluate("document.documentElement.lang")).toBe("zh-Hans");
    await tab.page.getByLabel("1005 · 笔记本（3 本）").check();
    await tab.button("回答").click();
    await tab.page.getByRole("heading", { name: "为订单 1005 退款 €14.70？" }).waitFor();
    await tab.button("English").click();
    await tab.page.getByRole("heading", { name: "Refund €14.70 for order 1005?" }).waitFor();
    await tab.button("Approve").click();
    await tab.said("订单 1005 的退款 €14.70 已发出").waitFor();
    await tab.page.reload();
    await tab.said("订单 1005 的退款 €14.70 已发出").waitFor();
    expect(await tab.page.getByRole("heading", { level: 1 }).innerText()).toBe("Refunds desk");
  });
});
