// Chromium by playwright-core, for tests of pages: the one that `npm test` has started, or one for the file.
import { after, afterEach, beforeEach } from 'node:test'
import axe from 'axe-core'
import { chromium, type BrowserContext, type CDPSession, type Page } from 'playwright-core'
import { launchOptions } from './chromiumserver.ts'

const server = process.env.TEST_CHROMIUM
const browser = await (server ? chromium.connect(server) : chromium.launch(launchOptions()))
after(() => browser.close())

export type Look = { javaScript?: boolean; locale?: string; dark?: boolean; width?: number }

const withoutScripts = new WeakSet<BrowserContext>()

// Pages that a test leaves open would cost those after it time.
let opened: BrowserContext[] = []
beforeEach(() => {
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map((context) => context.close()))
})

/** A visitor of its own: no cookies, nothing kept. */
export async function openChromium(look: Look = {}): Promise<BrowserContext> {
  const { javaScript = true, locale = 'en-US', dark = false, width = 1280 } = look
  const context = await browser.newContext({
    javaScriptEnabled: javaScript,
    locale,
    colorScheme: dark ? 'dark' : 'light',
    viewport: { width, height: 800 },
  })
  context.setDefaultTimeout(30_000)
  if (!javaScript) withoutScripts.add(context)
  opened.push(context)
  return context
}

/** Gives the page a passkey authenticator that agrees to everything. */
export async function addAuthenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return session
}

/** What the browser complains of from now on, e.g. what a page's policy forbids; a refusal's status is no complaint. */
export function complaintsOf(context: BrowserContext): string[] {
  const heard: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4\d\d|503)/.test(message.text())) heard.push(message.text())
  })
  context.on('weberror', (error) => heard.push(error.error().message))
  return heard
}

const everyRule = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }
/** What the same page can do wrong in other colors and at another width. */
const rulesOfLooks = { type: 'rule', values: ['color-contrast', 'link-in-text-block', 'target-size'] }

/** What axe finds against WCAG 2.2 AA, as `rule: element`; with `ofLook`, on a page that passed in another look. */
export async function accessibilityFaults(page: Page, { ofLook = false } = {}): Promise<string[]> {
  const isPlain = withoutScripts.has(page.context())
  // axe is a script. Those of the page were skipped when it was loaded.
  const session = isPlain ? await allowScripts(page) : null
  // What fades in or out has too little contrast for a moment, and may come while axe looks.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate('document.getAnimations().forEach((animation) => animation.cancel())')
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (runOnly) => (globalThis as any).axe.run({ runOnly }),
    ofLook ? rulesOfLooks : everyRule,
  )
  await session?.send(scriptSwitch, { value: true })
  await page.emulateMedia({ reducedMotion: null })
  return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html}`))
}

const scriptSwitch = 'Emulation.setScriptExecutionDisabled'

/** A session ignores a value that it has already: it turns scripts off itself, and on again. */
async function allowScripts(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send(scriptSwitch, { value: true })
  await session.send(scriptSwitch, { value: false })
  return session
}
