import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

// Its plugin for zod 4 does not compile the rules of a segment, which hold further ones. openapi-zod-client shows the schemas to zod.
export default defineConfig({
  root: '.',
  input: { path: '../openapi/openapi.json' },
  output: { path: './out/kubb', clean: true },
  plugins: [
    pluginOas({ serverIndex: 0, serverVariables: { host: process.env.SERVICE_HOST } }),
    pluginTs(),
    pluginClient({ client: 'fetch', bundle: true }),
  ],
})
