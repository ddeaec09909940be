#include "src/collect/capture_plan.h"

#include "src/model/model.h"

struct hook_class hook_class(uint16_t hook)
{
    const struct fact_builder *const r = fact_builder_find(hook);
    return r ? (struct hook_class){r->class, r->op} : (struct hook_class){FACT_OTHER, OP_NONE};
}
