// Debian's Chromium by playwright-core (package chromium), for tests of pages; gone with the test file.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import axe from 'axe-core'
import { chromium, type BrowserContext, type Page } from 'playwright-core'

// Its network is closed: what it does by itself would only wait.
const args = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
]

export async function openChromium(options: {
  javaScript?: boolean
  locale?: string
  dark?: boolean
  width?: number
} = {}): Promise<BrowserContext> {
  const { javaScript = true, locale = 'en-US', dark = false, width = 1280 } = options
  const profile = await mkdtemp(join(tmpdir(), 'stoa-chromium-'))
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium', args, javaScriptEnabled: javaScript, locale,
    colorScheme: dark ? 'dark' : 'light', viewport: { width, height: 800 },
  })
  after(async () => {
    await browser.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  return browser
}

/** What axe finds against WCAG 2.2 AA, as `rule: element`. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as any).axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
  return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html}`))
}
