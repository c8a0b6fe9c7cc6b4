// An email as HTML for mail programs: layout tables, inline styles, one sheet for dark mode that
// programs may ignore, no scripts. It loads nothing but the shop's images from our own media.
import { html, raw } from 'hono/html'
import type { Html } from '../../platform/pages/page.ts'
import { textOn } from '../branding/colours.ts'
import type { Block, Image, LetterContent, LetterSender } from './letter.ts'

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
// prettier-ignore
const styles = {
  ground: `margin:0;padding:0;width:100%;background-color:#f5f5f2;${font}`,
  frame:  'padding:24px 12px',
  card:   'width:100%;max-width:600px;background-color:#ffffff;border:1px solid #deded8;border-radius:12px',
  inside: `padding:28px 24px;color:#1b1c1a;font-size:16px;line-height:1.5;${font}`,
  brand:  'margin:0 0 20px;font-size:14px;font-weight:600;color:#5b5f58',
  home:   'color:#5b5f58;text-decoration:none',
  title:  'margin:0 0 20px;font-size:22px;line-height:1.25;font-weight:700;color:#1b1c1a;overflow-wrap:anywhere',
  head:   'margin:28px 0 8px;font-size:16px;line-height:1.3;font-weight:700;color:#1b1c1a',
  text:   'margin:0 0 16px;overflow-wrap:anywhere',
  soft:   'margin:20px 0 0;font-size:14px;color:#5b5f58;overflow-wrap:anywhere',
  button: 'display:inline-block;padding:12px 22px;border-radius:8px;font-weight:600;text-decoration:none',
  press:  'margin:24px 0',
  bill:   'width:100%;border-collapse:collapse',
  name:   'padding:10px 12px 10px 0;border-top:1px solid #deded8;text-align:left;font-weight:400;vertical-align:top;'
    + 'overflow-wrap:anywhere',
  amount: 'padding:10px 0;border-top:1px solid #deded8;text-align:right;vertical-align:top;white-space:nowrap',
  sum:    'padding:4px 12px 4px 0;text-align:left;font-weight:400',
  cost:   'padding:4px 0;text-align:right;white-space:nowrap',
  total:  'padding:12px 12px 4px 0;text-align:left;font-weight:700',
  whole:  'padding:12px 0 4px;text-align:right;font-weight:700;white-space:nowrap',
  many:   'color:#5b5f58',
  link:   'color:#5b5f58',
  logo:   'display:block;border:0;padding:4px;background-color:#ffffff;border-radius:6px',
  image:  'display:block;border:0;border-radius:8px;max-width:100%;height:auto',
  foot:   'padding:16px 24px;font-size:13px;line-height:1.5;color:#5b5f58;overflow-wrap:anywhere',
} as const

// Tells mail programs that these emails support dark mode, so that they do not invert colors.
const usualAccent: [string, string] = ['#0b5f4a', '#5ccba8']

const sheetWith = (accent: string) => `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background-color: #151614 !important; }
  .card { background-color: #1d1f1c !important; border-color: #363934 !important; }
  .ink { color: #ecede9 !important; }
  .soft { color: #a7aba2 !important; }
  .line { border-color: #363934 !important; }
  .button { background-color: ${accent} !important; color: ${textOn(accent)} !important; }
}`

/** Renders the whole document. */
export async function renderLetterHtml({ language, subject, sender, blocks }: LetterContent): Promise<string> {
  const [light, dark] = sender.accent ?? usualAccent
  const look = { accent: `background-color:${light};color:${textOn(light)}` }
  const document = await html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${raw(sheetWith(dark))}</style>
</head>
<body class="ground" style="${styles.ground}">
<div role="main" lang="${language}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
<td align="center" style="${styles.frame}">
<table role="presentation" class="card" cellpadding="0" cellspacing="0" border="0" style="${styles.card}"><tr>
<td class="ink" style="${styles.inside}">
<p style="${styles.brand}"><a class="soft" href="${sender.url}" style="${styles.home}">${brand(sender)}</a></p>
<h1 class="ink" style="${styles.title}">${subject}</h1>
${blocks.map((block) => part(block, look))}
</td></tr></table>
${foot(sender)}
</td></tr></table>
</div>
</body>
</html>
`
  return String(document)
}

const logoHeight = 48
const maxLogoWidth = 220

/** The logo, whose alternative text is the name, or the name. */
function brand({ name, logo }: LetterSender): Html | string {
  if (!logo) return name
  const { width, height } = fitImage(logo, { width: maxLogoWidth, height: logoHeight })
  return html`<img src="${logo.url}" width="${width}" height="${height}" alt="${name}" style="${styles.logo}">`
}

/** Some mail programs do not know max-width, so images have explicit sizes. */
function fitImage({ width, height }: Image, max: { width: number; height: number }): { width: number; height: number } {
  const scale = Math.min(1, max.width / width, max.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

function foot({ imprint = [] }: LetterSender): Html | '' {
  return imprint.length > 0 ? html`<div class="soft" style="${styles.foot}">${lines(imprint.join('\n'))}</div>` : ''
}

const maxPictureSize = { width: 280, height: 280 }

function part(block: Block, { accent }: { accent: string }): Html {
  switch (block.kind) {
    case 'text':
      return html`<p style="${styles.text}">${lines(block.text)}</p>\n`
    case 'soft':
      return html`<p class="soft" style="${styles.soft}">${lines(block.text)}</p>\n`
    case 'button':
      return html`<p style="${styles.press}"><a class="button" href="${block.url}" style="${styles.button};${accent}">${
        block.text
      }</a></p>\n`
    case 'link':
      return html`<p class="soft" style="${styles.soft}"><a class="soft" href="${block.url}" style="${styles.link}">${
        block.text
      }</a></p>\n`
    case 'picture': {
      const { width, height } = fitImage(block.picture, maxPictureSize)
      const { url } = block.picture
      return html`<p style="${styles.press}"><img src="${url}" width="${width}" height="${height}" alt="${block.alt}"
 style="${styles.image}"></p>\n`
    }
    case 'facts':
      return html`${block.facts.map(
        ({ name, value }) =>
          html`<h2 class="ink" style="${styles.head}">${name}</h2>\n<p style="${styles.text}">${lines(value)}</p>\n`,
      )}`
    case 'bill':
      return bill(block)
  }
}

function bill({ title, lines: items, sums }: Extract<Block, { kind: 'bill' }>): Html {
  return html`<h2 class="ink" style="${styles.head}">${title}</h2>
<table class="ink" cellpadding="0" cellspacing="0" border="0" style="${styles.bill}">
${items.map(
  ({ name, detail, amount }) => html`<tr><th scope="row" class="line ink" style="${styles.name}">${name}
<span class="soft" style="${styles.many}">× ${detail}</span></th>
<td class="line ink" style="${styles.amount}">${amount}</td></tr>
`,
)}${sums.map(
    ({
      name,
      amount,
      isTotal,
    }) => html`<tr><th scope="row" class="ink" style="${isTotal ? styles.total : styles.sum}">${name}</th>
<td class="ink" style="${isTotal ? styles.whole : styles.cost}">${amount}</td></tr>
`,
  )}</table>
`
}

/** Keeps line breaks. */
function lines(text: string): Html {
  return html`${text.split('\n').map((line, index) => (index === 0 ? line : html`<br>${line}`))}`
}
