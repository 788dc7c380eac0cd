// The styles and the script of the pages of domains, in addition to those of all pages.
import { readSourceFile } from '../../lib/source-files.ts'
import { COPY_SCRIPT } from '../shell/copyable.ts'
import { pageFile } from '../shell/page-files.ts'

export const DOMAIN_FILES = [pageFile('domains', 'css', readSourceFile('domains.css', import.meta)), COPY_SCRIPT]
