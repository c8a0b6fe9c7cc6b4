// One Chromium for all test files of a run: starting it takes as long as some of them.
import { chromium, type BrowserServer, type LaunchOptions } from 'playwright-core'
import { pathOf } from './programs.ts'

export function launchOptions(): LaunchOptions {
  return {
    executablePath: pathOf('chromium'),
    // The network is closed. Whatever Chromium asks of it on its own would only wait.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--font-render-hinting=none',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  }
}

/** Test files find it by its address in TEST_CHROMIUM. */
export async function startChromium(): Promise<BrowserServer> {
  const server = await chromium.launchServer(launchOptions())
  process.env.TEST_CHROMIUM = server.wsEndpoint()
  return server
}
