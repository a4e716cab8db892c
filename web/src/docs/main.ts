import '@fontsource-variable/inter/wght.css';
import '../styles/tokens.css';
import '../styles/base.css';

document.getElementById('app')!.textContent = 'API reference';
