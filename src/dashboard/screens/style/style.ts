// A style guide: every recurring part in every state, rendered by the functions of the screens. It
// exists only if NODE_ENV is development, as with npm run dev.
import { html } from 'hono/html'
import { choice, notice } from '../../../platform/pages/parts.ts'
import { icon, iconNames } from '../../framework/icons.ts'
import { actionDialog, emptyState, facts, foldedPanel, menu, panel, thumbnail } from '../../framework/parts.ts'
import { sortList } from '../../framework/sortlist.ts'
import { tokenList } from '../../framework/tokenlist.ts'
import { nouns, listStatuses, statusMark } from '../../framework/statuses.ts'
import type { Html, PageContext, Screen } from '../../framework/screen.ts'

export const styleScreen: Screen = {
  path: '/_style',
  scope: 'read:store',
  title: 'dashboard',
  section: 'home',
  isUnlisted: true,
  show: async (context) => ({
    title: 'Style',
    buttons: html`<button>Primary</button><button class="quiet">Quiet</button>`,
    content: styleParts(context),
  }),
}

export function styleParts(context: Pick<PageContext, 't' | 'here'>): Html {
  return html`${statusParts(context)}${buttonParts()}${dialogParts()}${fieldParts(context)}
${sheetPart()}${sortPart(context)}${iconParts()}${otherParts(context)}`
}

function statusParts({ t }: Pick<PageContext, 't'>): Html {
  const rows = nouns.map((noun) => {
    const marks = listStatuses(noun).map((status) => html`${statusMark(t, noun, status)} `)
    return html`<tr><th scope="row">${noun}</th><td>${marks}</td></tr>`
  })
  return panel('Statuses', html`<table class="plain"><tbody>${rows}</tbody></table>`)
}

function buttonParts(): Html {
  const kinds = ['', 'quiet', 'quiet danger', 'bad', 'link']
  const buttons = kinds.map((kind) => html`<button type="button" class="${kind}">${kind || 'primary'}</button>`)
  return panel(
    'Buttons',
    html`<div class="pair">${buttons}<button type="button" disabled>disabled</button>
<button type="button" class="quiet">${icon('add')} with an icon</button>
<a class="button quiet" href="#main">a link</a></div>`,
  )
}

function dialogParts(): Html {
  const dialog = (id: string, kind: string) =>
    actionDialog(
      `Dialog, ${kind || 'primary'}`,
      html`<p>Inside</p><a class="button quiet" href="" data-close>Close</a>`,
      { id, kind, isOpen: false },
    )
  const pictures = html`<span class="thing">${thumbnail(null, '')}<span>Without a picture</span></span>`
  return panel(
    'Dialogs, menus and pictures',
    html`<div class="pair">${dialog('do-first', '')}${dialog('do-next', 'quiet')}
${menu(
  'Menu',
  html`<button type="button" class="quiet">One</button>
<button type="button" class="quiet danger">Two</button>`,
)}</div><p></p>${pictures}`,
  )
}

function fieldParts({ t }: Pick<PageContext, 't'>): Html {
  const wrong = {
    id: 'style-countries',
    name: 'countries',
    values: ['Mexico', 'Atlantis'],
    about: html` aria-invalid="true"`,
  }
  const suggesting = { ...wrong, id: 'style-tags', values: ['sale'], about: html``, among: ['gift'], isFree: true }
  const card = (value: string, checked: boolean) =>
    choice({ type: 'radio', name: 'card', value, checked }, html`<b>${value}</b> <small>What it is</small>`)
  return panel(
    'Fields',
    html`<div class="fields">
<div class="field half"><label for="style-text">Text</label>
<input id="style-text" value="Mug">
<span class="hint">A hint</span></div>
<div class="field half"><label for="style-wrong">With a fault</label><input id="style-wrong" aria-invalid="true">
<p class="fault">What is wrong</p></div>
<div class="field half"><label for="style-choice">Choice</label>
<select id="style-choice"><option>One</option></select></div>
<div class="field half"><label for="style-off">Disabled</label><input id="style-off" disabled value="–"></div>
<div class="field"><label for="style-area">Area</label><textarea id="style-area">Text</textarea></div>
<div class="field"><label for="style-tokens">Values</label>
${tokenList({ t }, { id: 'style-tokens', name: 'tokens', values: ['Blue', 'White'], about: html`` })}</div>
<div class="field"><label for="style-tags">Values with suggestions</label>
${tokenList({ t }, suggesting)}</div>
<div class="field"><label for="style-countries">Values with a fault</label>
${tokenList({ t }, { ...wrong, among: ['Mexico', 'Spain'] })}<p class="fault">Atlantis: not a country</p></div>
<fieldset class="field"><legend>Cards</legend><div class="cards">
${card('a', true)}${card('b', false)}</div></fieldset>
<div class="field"><label class="choice"><input type="checkbox" checked> <span>Ticked</span></label>
<label class="choice"><input type="radio"> <span>Not chosen</span></label></div></div>
<p class="send unsaved"><span>${icon('edit')} Unsaved changes</span><button type="button" class="quiet">Discard</button>
<button type="button">Save</button></p>`,
  )
}

function sheetPart(): Html {
  const cell = (name: string, value: string, seen = value) =>
    html`<td class="number"><input type="text" aria-label="${name}" value="${value}" data-seen="${seen}"></td>`
  return panel(
    'Spreadsheet',
    html`<edit-grid cut="Rows were left out."><div class="scroll" role="region" tabindex="0" aria-label="Spreadsheet">
<table class="sheet" aria-label="Cells"><thead><tr><th scope="col">Product</th><th scope="col" class="number">Price</th>
<th scope="col">Status</th><th scope="col" class="number">Stock</th></tr></thead>
<tbody><tr><th scope="row">A product</th>${cell('Price of a product', '20.00')}
<td><select aria-label="Status of a product" data-seen="draft"><option value="draft">Draft</option></select></td>
<td class="none"></td></tr>
<tr><th scope="row" class="part">Its variant</th>${cell('A changed price', '25.00', '24.00')}<td class="none"></td>
${cell('Stock of the variant', '3')}</tr></tbody></table></div><p role="status"></p></edit-grid>`,
  )
}

function sortPart(context: Pick<PageContext, 't' | 'here'>): Html {
  const rows = ['First', 'Second', 'Third'].map((name) => {
    return { id: name, name, content: html`<div><p><a class="main" href="#main">${name}</a></p></div>` }
  })
  return sortList(context, { rows, label: 'A list in order' })
}

function iconParts(): Html {
  const all = iconNames.map((name) => html`<span>${icon(name)} <small>${name}</small></span> `)
  return panel('Icons', html`<div class="pair">${all}</div>`)
}

function otherParts({ t }: Pick<PageContext, 't'>): Html {
  const table = html`<table class="list" aria-label="List"><thead><tr><th scope="col">Name</th>
<th scope="col" class="number">Amount</th></tr></thead>
<tbody><tr><td><a class="main" href="#main">A row that leads on</a></td>
<td class="number">$12.00</td></tr></tbody></table>`
  const filters = html`<div class="searchline"><input type="search" placeholder="Search" aria-label="Search">
<details class="filters"><summary class="button quiet">${icon('add')} Add filter</summary><div class="panel">
<details name="filter" class="set"><summary>A filter that is set</summary><p>Inside</p></details>
<details name="filter"><summary>Another filter</summary><p>Inside</p></details></div></details></div>
<ul class="chips"><li><a class="chip" href="#main">A filter: its value ${icon('close')}</a></li></ul>`
  const bulk = html`<section class="bulk" aria-label="Selected"><p>3 selected</p>
<button type="button">Fulfill</button></section>`
  return html`${filters}${bulk}${notice('error', 'Nothing was saved.')}${notice('warning', 'Something needs a look.')}
${table}${foldedPanel('Folded', html`<p>Inside</p>`, { isOpen: false })}
${panel('Facts', facts([['Term', 'Value']]))}
${emptyState(t, 'nothing_found', 'nothing_found_text', { icon: 'search' })}`
}
