import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** The names in the file `.env` of the folder. The entry has already read their values. */
export const namesInEnvFile = (): string[] => (existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : [])
