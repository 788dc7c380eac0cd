import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** The names in the file `.env` of the folder, whose values the entry has read already. */
export const namesInEnvFile = (): string[] => (existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : [])
