import { Command } from 'commander'
import { suppressionImport } from './suppressions.ts'

export function importCommands(): Command {
  const imports = new Command('import').description('Bring what you have elsewhere to a team.')
  imports.addCommand(suppressionImport('suppressions'))
  return imports
}
