// The ceiling: node:http that answers the bytes of a file.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const body = readFileSync(process.env.BODY_FILE!)
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }

createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
