// What an agent can read about the API: the guides, and the OpenAPI document by section.
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { RouteTable } from '../../kit/declare/route.ts'
import { openApi, type OpenApiOptions } from '../openapi.ts'

const docs = new URL('../../../docs/', import.meta.url)
const guideUri = 'stoa://guides/'
const sectionUri = 'stoa://openapi/'

type Contents = { mimeType: string; text: string }

export type Resources = {
  listed: { uri: string; name: string; title: string; description: string; mimeType: string }[]
  /** Undefined if there is none. */
  read(uri: string): Promise<Contents | undefined>
}

export function resourcesOf(document: OpenApiOptions, table: RouteTable): Resources {
  const guides = guideFiles()
  const tags = new Map(table.routes.map(({ tag }) => [nameOf(tag), tag]))
  const sections = new Map<string, string>()
  const sectionFor = (tag: string): string => {
    if (!sections.has(tag)) {
      const routes = table.routes.filter((route) => route.tag === tag)
      const { webhooks: _, ...options } = document
      sections.set(tag, JSON.stringify(openApi({ ...options, tables: [{ ...table, routes }] })))
    }
    return sections.get(tag)!
  }
  const listedGuides = [...guides.keys()].map((name) => ({
    uri: guideUri + name,
    name,
    title: `Guide: ${name.replaceAll('-', ' ')}`,
    description: `Guide about ${name.replaceAll('-', ' ')}`,
    mimeType: 'text/markdown',
  }))
  const listedSections = [...tags].map(([name, tag]) => ({
    uri: sectionUri + name,
    name: `openapi-${name}`,
    title: `API: ${tag}`,
    description: `OpenAPI document of the operations on ${tag.toLowerCase()}`,
    mimeType: 'application/json',
  }))
  return {
    listed: [...listedGuides, ...listedSections],
    async read(uri) {
      const guide = uri.startsWith(guideUri) ? guides.get(uri.slice(guideUri.length)) : undefined
      if (guide) return { mimeType: 'text/markdown', text: await readFile(guide, 'utf8') }
      const tag = uri.startsWith(sectionUri) ? tags.get(uri.slice(sectionUri.length)) : undefined
      if (!tag) return undefined
      return { mimeType: 'application/json', text: sectionFor(tag) }
    },
  }
}

/** The names of files on disk: what a client sends is only ever looked up. */
function guideFiles(): ReadonlyMap<string, URL> {
  const files = readdirSync(new URL('guides/', docs)).filter((file) => file.endsWith('.md'))
  const guides = files.sort().map((file) => [file.replace(/\.md$/, ''), new URL(`guides/${file}`, docs)] as const)
  return new Map([['api', new URL('api/README.md', docs)] as const, ...guides])
}

function nameOf(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
