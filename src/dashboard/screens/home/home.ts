// The first screen: onboarding, what waits for the merchant, and sales figures.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Screen } from '../../framework/screen.ts'
import { salesFigures } from './figures.ts'
import { firstSteps } from './onboarding.ts'
import { taskTiles } from './tasks.ts'

export const home: Screen = {
  path: '',
  scope: 'read:store',
  title: 'home',
  section: 'home',
  async show(context) {
    const { t } = context
    const [steps, tiles, sales] = await Promise.all([
      firstSteps(context),
      taskTiles(context),
      mayUse(context.role, 'read:orders') ? salesFigures(context) : '',
    ])
    const words = { live: t('live'), paused: t('paused'), pause: t('pause'), resume: t('resume') }
    return {
      buttons: html`<live-part${attributes({ of: 'day', ...words })}></live-part>`,
      content: html`${steps}<div id="day">${tiles}${sales}</div>`,
    }
  },
}
