// Makes the package that others install: `npm run package` writes posthaste-VERSION.tgz into build/, or into the folder that is named after `--`.
// Node.js runs no TypeScript inside of node_modules, so the package has the same files as JavaScript.
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import project from '../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')
const build = resolve(process.argv[2] ?? join(root, 'build'))
const folder = join(build, 'package')

rmSync(folder, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(import.meta.dirname, 'tsconfig.package.json'), '--outDir', folder],
  { stdio: 'inherit' },
)
// Of the console only what was built travels.
execFileSync(process.execPath, [join(root, 'console/build.ts')], { stdio: 'inherit' })
cpSync(join(root, 'console/dist'), join(folder, 'console/dist'), { recursive: true })
// The styles and scripts of the pages are files of their own. None may have the name of a compiled module.
cpSync(join(root, 'src'), join(folder, 'src'), {
  recursive: true,
  force: false,
  errorOnExist: true,
  filter: (path) => statSync(path).isDirectory() || extname(path) !== '.ts',
})
// `backup` reads from the models which tables are ours.
for (const name of ['prisma/migrations', 'prisma/models', 'resources', 'LICENSE', 'README.md', 'CHANGELOG.md'])
  cpSync(join(root, name), join(folder, name), { recursive: true })
writeFileSync(join(folder, 'posthaste.js'), readFileSync(join(root, 'posthaste.js'), 'utf8').replace('./src/main.ts', './src/main.js'), {
  mode: 0o755,
})
writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest(), null, 2))
// What is installed with it are the versions that were tested, also those that dependencies ask for. npm drops from the list what is not needed.
cpSync(join(root, 'package-lock.json'), join(folder, 'npm-shrinkwrap.json'))
execFileSync('npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
  cwd: folder,
  stdio: 'inherit',
})
execFileSync('npm', ['pack', '--silent', '--pack-destination', build], { cwd: folder, stdio: 'inherit' })

/** Without what only the source needs: Prisma's generator has run. */
function manifest() {
  const { name, version, description, license, type, engines, bin, optionalDependencies } = project
  const { 'openapi-typescript': _types, ...overrides } = project.overrides
  const { prisma: _generator, ...dependencies } = project.dependencies
  const allowScripts = Object.fromEntries(Object.entries(project.allowScripts).filter(([, isAllowed]) => isAllowed))
  return { name, version, description, license, type, engines, bin, dependencies, optionalDependencies, overrides, allowScripts }
}
