// The prose lint of `npm run check`: links to files and headings that exist, and slips of English.
import english from 'retext-english'
import indefiniteArticle from 'retext-indefinite-article'
import repeatedWords from 'retext-repeated-words'
import gfm from 'remark-gfm'
import retext from 'remark-retext'
import validateLinks from 'remark-validate-links'
import { unified } from 'unified'

const prose = unified().use(english).use(indefiniteArticle).use(repeatedWords)

export default { plugins: [gfm, [validateLinks, { repository: false }], [retext, prose]] }
