import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswer, openApiDocument } from '../../../test/document.ts'

const document = openApiDocument() as any
const operations = Object.values<object>(document.paths).flatMap((path) => Object.values<any>(path))

test('every parameter and every field has a description', () => {
  const bare: string[] = []
  const look = (value: any, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, schema] of Object.entries<any>(value.properties ?? {})) {
      const isDeclared = Object.keys(schema).length > 0
      if (isDeclared && !schema.description && !schema.$ref) bare.push(`${at}.${name}`)
      look(schema, `${at}.${name}`)
    }
    look(value.items, `${at}[]`)
    for (const keyword of ['anyOf', 'oneOf']) value[keyword]?.forEach((one: any) => look(one, at))
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name)
  for (const { operationId, parameters } of operations) {
    for (const one of parameters) if (!one.$ref && !one.description) bare.push(`${operationId} ${one.name}`)
  }
  assert.deepEqual(bare, [])
})

test('a time of one kind of record is not described as that of another', () => {
  const foreign = Object.entries<any>(document.components.schemas).flatMap(([schema, { properties = {} }]) =>
    Object.entries<any>(properties).flatMap(([name, { description = '' }]) => {
      const noun = /^Time the (product|order|return|dispute|refund|webhook)\b/.exec(description)?.[1]
      return noun && !schema.toLowerCase().includes(noun) ? [`${schema}.${name}: ${description}`] : []
    }),
  )
  assert.deepEqual(foreign, [])
})

test('every JSON response has an example that fits', () => {
  for (const [path, item] of Object.entries<any>(document.paths)) {
    for (const [method, { responses }] of Object.entries<any>(item)) {
      for (const [status, response] of Object.entries<any>(responses)) {
        const content = response.content?.['application/json']
        if (content) assertAnswer(`${method.toUpperCase()} ${path}`, Number(status), content.example)
      }
    }
  }
})
