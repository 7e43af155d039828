import { withBase, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import Mermaid from './Mermaid.vue'
import './style.css'

const CHINESE = /^zh-CN\//

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router, siteData }) {
    app.component('Mermaid', Mermaid)
    // From a page to its translation, where the menu of languages leads to the home page
    router.onBeforeRouteChange = (to) => {
      const from = router.route.data.relativePath
      const isChinese = CHINESE.test(from)
      const page = from.replace(CHINESE, '')
      const home = withBase(isChinese ? '/' : '/zh-CN/')
      if (new URL(to, 'file:').pathname === home && siteData.value.themeConfig.translated.includes(page)) {
        router.go(home + page.replace(/\.md$/, ''))
        return false
      }
    }
  },
} satisfies Theme
