// npm run demo:psp -- --port 4100 --switch lose=0.2: the sandbox payment provider in a process of its own.
import { Command, InvalidArgumentError } from 'commander'
import { openLog } from '../../platform/process/log.ts'
import { openSandbox } from './server.ts'
import { names, readSwitches, switches, type Switches } from './switches.ts'

const list = names.map((name) => `  ${name.padEnd(20)} ${switches[name]}`).join('\n')

const program = new Command('demo:psp')
  .description('A payment provider to try a shop with. No real money moves.')
  .option('--port <number>', 'the port to listen on', wholeNumber, 4100)
  .option('--host <address>', 'the address to listen on', '127.0.0.1')
  .option('--url <url>', 'where shoppers reach it (default: where it listens)')
  .option('--file <path>', 'remember everything there')
  .option('--admin-token <token>', 'for /admin (default: random)')
  .option('--late-ms <number>', 'how long money that is paid late is on its way', wholeNumber, 4000)
  .option('--delay-ms <number>', 'how late a delayed webhook is', wholeNumber, 5000)
  .option('--switch <name=chance...>', 'what goes wrong, and how often: 0 never, 1 always', readSwitch, {})
  .addHelpText('after', `\nSwitches:\n${list}`)
  .parse()

const { port, host, url, file, adminToken, lateMs, delayMs, switch: switchName } = program.opts()
const sandbox = await openSandbox({
  port,
  host,
  url,
  file,
  adminToken,
  switches: switchName,
  timing: { lateMs, delayMs },
  log: openLog('warn'),
})
process.stdout.write(`${JSON.stringify({ url: sandbox.url, admin_token: sandbox.adminToken })}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close())

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('a whole number')
  return Number(text)
}

function readSwitch(text: string, before: Switches): Switches {
  const [name = '', chance = '1'] = text.split('=')
  try {
    return { ...before, ...readSwitches({ [name]: Number(chance) }) }
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}
